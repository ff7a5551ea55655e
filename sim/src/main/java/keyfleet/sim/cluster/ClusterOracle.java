package keyfleet.sim.cluster;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationJob.Course;
import keyfleet.keyring.VersionState;
import keyfleet.sim.cluster.SimulatedEtcd.StoredObject;
import keyfleet.sim.fleet.InvariantViolation;
import org.jspecify.annotations.Nullable;

/// Checks the promises of a kms keyring. It sees every keystore that is written, every object of
/// every cluster, and knows what operators have said.
final class ClusterOracle {
  private static final String NEEDED_KEY = "P12";
  private static final String OPERATORS_WORD = "P13";
  private static final String WITHDRAWAL = "P14";

  /// An operator's word that no object of a cluster needs a version.
  private record Attestation(KekVersion version, String cluster) {}

  private final Map<String, SimulatedEtcd> etcds = new TreeMap<>();
  private final List<SimulatedApiServer> apiServers = new ArrayList<>();

  /// What operators typed, true or not, and how often the version had been active then.
  private final Map<Attestation, Long> typed = new HashMap<>();

  /// Versions about which an operator was wrong: their objects may be lost.
  private final Set<KekVersion> mistaken = new HashSet<>();

  private @Nullable Keystore latest;

  SimulatedEtcd etcd(String cluster) {
    return etcds.computeIfAbsent(cluster, _ -> new SimulatedEtcd());
  }

  void add(SimulatedApiServer apiServer) {
    apiServers.add(apiServer);
  }

  Optional<Keystore> keystore() {
    return Optional.ofNullable(latest);
  }

  /// Whether it is true that no object of the cluster needs the version, now or later.
  boolean isUnneeded(KekVersion version, String cluster) {
    return !etcd(cluster).needs(version)
        && apiServers.stream()
            .filter(it -> it.node().cluster().equals(cluster))
            .noneMatch(it -> it.mayWriteUnder(version));
  }

  /// An operator is about to attest.
  void recordTyped(KekVersion version, String cluster) {
    Keystore keystore = latest;
    typed.put(
        new Attestation(version, cluster),
        keystore == null ? 0 : activationCount(keystore, version));
    if (!isUnneeded(version, cluster)) {
      mistaken.add(version);
    }
  }

  void observeKeystore(Keystore keystore) {
    Keystore before = latest;
    latest = keystore;
    if (before != null) {
      requireLaterEpoch(before, keystore);
      requireWithdrawnForGood(before, keystore);
      requireReadyPlugins(before, keystore);
      requireFollowed(before, keystore);
      requireAttested(before, keystore);
    }
    requireGivenAttestations(keystore);
    requireNeededKeys(keystore);
  }

  private static void requireLaterEpoch(Keystore before, Keystore now) {
    if (now.epoch() < before.epoch()) {
      throw new InvariantViolation(
          "K7", "epoch %d after %d".formatted(now.epoch(), before.epoch()));
    }
  }

  private static long activationCount(Keystore keystore, KekVersion version) {
    return keystore.activations().stream().filter(it -> it.version().equals(version)).count();
  }

  /// An attestation is in the keystore only if an operator gave it, and is not older than the last
  /// use of the version.
  private void requireGivenAttestations(Keystore keystore) {
    keystore
        .versions()
        .forEach((version, entry) ->
            entry.attestedClusters().forEach(cluster -> requireGiven(keystore, version, cluster)));
  }

  private void requireGiven(Keystore keystore, KekVersion version, String cluster) {
    Long count = typed.get(new Attestation(version, cluster));
    if (count == null || count != activationCount(keystore, version)) {
      throw new InvariantViolation(
          OPERATORS_WORD,
          "%s is attested for %s, but no operator has said so since it was last active"
              .formatted(version, cluster));
    }
  }

  private static void requireWithdrawnForGood(Keystore before, Keystore now) {
    before
        .versions()
        .forEach((version, entry) -> {
          Optional<VersionState> state = now.stateOf(version);
          boolean wasWithdrawn = entry.state() == VersionState.WITHDRAWN;
          boolean isWithdrawn = state.equals(Optional.of(VersionState.WITHDRAWN));
          if (wasWithdrawn && !isWithdrawn) {
            throw new InvariantViolation(
                WITHDRAWAL, version + " was withdrawn and is " + state.orElse(null));
          }
          if (isWithdrawn && activationCount(now, version) > 0) {
            throw new InvariantViolation(WITHDRAWAL, version + " was active and is withdrawn");
          }
        });
  }

  /// The flip after a gate: each plugin that the fleet knew when the version was staged must have
  /// its key, also one that is cut off from the store. A plugin that joins later sees the staged
  /// version.
  private void requireReadyPlugins(Keystore before, Keystore now) {
    boolean isFlip = now.epoch() > before.epoch();
    for (SimulatedApiServer apiServer : apiServers) {
      ClusterNode node = apiServer.node();
      if (now.rotation() instanceof Rotation.Staged
          && !(before.rotation() instanceof Rotation.Staged)) {
        node.noteStaged();
      }
      if (!isFlip || !node.isKnown() || !node.areKeysIntact()) {
        continue;
      }
      if (node.hasKey(now.active())) {
        node.entitle(now.active());
      } else if (before.rotation() instanceof Rotation.Staged && node.wasKnownAtStage()) {
        throw new InvariantViolation(
            NEEDED_KEY,
            "%s is active, but the known plugin %s lacks it"
                .formatted(now.active(), node.host().name()));
      }
    }
  }

  /// The end of settling: each known plugin announces the new version.
  private void requireFollowed(Keystore before, Keystore now) {
    boolean isSettled =
        before.rotation() instanceof Rotation.Settling
            && now.rotation() instanceof Rotation.Proving;
    apiServers.stream()
        .map(SimulatedApiServer::node)
        .filter(it -> isSettled && it.isKnown() && !it.announces(now.active()))
        .findFirst()
        .ifPresent(it -> {
          throw new InvariantViolation(
              NEEDED_KEY,
              "the flip to %s counts as settled, but %s announces %s"
                  .formatted(now.active(), it.host().name(), it.announced()));
        });
  }

  /// The proof of a rotation, and each removal, rest on the word of an operator for each cluster,
  /// given since the version was last active.
  private void requireAttested(Keystore before, Keystore now) {
    boolean isProved =
        before.rotation() instanceof Rotation.Proving
            && (now.rotation() instanceof Rotation.Completed
                || (now.rotation() instanceof Rotation.Aborted(var job)
                    && job.course() == Course.TURNED));
    before
        .versions()
        .forEach((version, entry) -> {
          VersionState state = now.stateOf(version).orElse(VersionState.DESTROYED);
          boolean isClosed =
              switch (entry.state()) {
                case DECRYPT_ONLY ->
                    isProved
                        || (state != VersionState.DECRYPT_ONLY && state != VersionState.ACTIVE);
                case DISABLED -> state == VersionState.DESTROYING;
                case ANNOUNCED, WITHDRAWN, STAGED, ACTIVE, DESTROYING, DESTROYED -> false;
              };
          if (isClosed) {
            etcds.forEach((cluster, etcd) -> {
              if (etcd.hasEverUsed(version)) {
                requireGiven(now, version, cluster);
              }
            });
          }
        });
  }

  /// No object needs a version that is withdrawn, disabled or destroyed, unless an operator was
  /// wrong.
  private void requireNeededKeys(Keystore keystore) {
    for (KekVersion version : neededVersions()) {
      Optional<VersionState> state = keystore.stateOf(version);
      boolean isKept =
          state
              .filter(it -> it == VersionState.ACTIVE || it == VersionState.DECRYPT_ONLY)
              .isPresent();
      if (!isKept && !mistaken.contains(version)) {
        throw new InvariantViolation(
            NEEDED_KEY, "objects need %s, which is %s".formatted(version, state.orElse(null)));
      }
    }
  }

  private Set<KekVersion> neededVersions() {
    Set<KekVersion> needed = new TreeSet<>();
    etcds.values().forEach(etcd -> etcd.objects().forEach(it -> needed.add(it.seed().version())));
    apiServers.forEach(it -> it.writeVersion().ifPresent(needed::add));
    return needed;
  }

  /// An API server could not read an object through its plugin.
  void checkUnread(ClusterNode node, StoredObject object) {
    KekVersion version = object.seed().version();
    if (node.isEntitledTo(version) && !mistaken.contains(version)) {
      throw new InvariantViolation(
          NEEDED_KEY,
          "%s cannot read %s, which is under %s"
              .formatted(node.host().name(), object.name(), version));
    }
  }

  /// At the end every object is read through every plugin of its cluster.
  void requireReadable() {
    for (SimulatedApiServer apiServer : apiServers) {
      ClusterNode node = apiServer.node();
      if (node.fate() == ClusterNode.Fate.DEAD) {
        continue;
      }
      for (StoredObject object : etcd(node.cluster()).objects()) {
        boolean isLost = mistaken.contains(object.seed().version());
        if (!isLost && !node.decrypt(object.seed())) {
          throw new InvariantViolation(
              NEEDED_KEY, node.host().name() + " cannot read " + object + " at the end");
        }
      }
    }
  }

  void requireAudited(AuditVerdict verdict) {
    if (!(verdict instanceof AuditVerdict.Intact)) {
      throw new InvariantViolation("AUDIT", "the audit is " + verdict);
    }
  }
}
