package keyfleet.sim;

import static keyfleet.sim.PlantedBug.inKv;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.VersionEntry;
import keyfleet.keyring.VersionState;
import keyfleet.sim.fleet.PortUser;
import keyfleet.sim.fleet.PortWrappers;
import keyfleet.store.Kv;

/// Bugs that an implementation of kms keyrings could have.
final class SwarmClusterBugs {
  /// All that a simulated cluster is called.
  private static final Set<String> ALL_CLUSTERS = Set.of("any", "blue", "green");

  private SwarmClusterBugs() {}

  /// The bugs by name.
  static Map<String, PortWrappers> all() {
    Map<String, PortWrappers> bugs = new LinkedHashMap<>();
    bugs.put(
        "gate without its plugins",
        inKv(
            kv ->
                new BuggyKv.FilteredList(kv, (bucket, _) -> !bucket.name().equals(BuggyKv.PLUGINS)),
            PortUser.WORKER));
    bugs.put("plugins not awaited", inKv(BuggyKv.PluginsForgottenInSettling::new, PortUser.WORKER));
    bugs.put(
        "plugin not remembered",
        inKv(kv -> new BuggyKv.UnsentPut(kv, BuggyKv.PLUGINS), PortUser.MEMBER));
    bugs.put("proof without attestation", misread(SwarmClusterBugs::withAllAttested));
    bugs.put("one cluster's word for all", misread(SwarmClusterBugs::withSharedWords));
    bugs.put("proof of the last version only", misread(SwarmClusterBugs::withEarlierAttested));
    bugs.put(
        "attestation kept in reuse",
        inKv(BuggyKv.AttestationsKept::new, PortUser.WORKER, PortUser.OPERATOR));
    return bugs;
  }

  private static PortWrappers misread(UnaryOperator<Keystore> reading) {
    UnaryOperator<Kv> bug = kv -> SwarmRotationBugs.misread(kv, reading);
    return inKv(bug, PortUser.WORKER);
  }

  private static Keystore withAllAttested(Keystore keystore) {
    return withAttested(keystore, (_, _) -> ALL_CLUSTERS);
  }

  private static Keystore withSharedWords(Keystore keystore) {
    return withAttested(
        keystore, (_, entry) -> entry.attestedClusters().isEmpty() ? Set.of() : ALL_CLUSTERS);
  }

  /// The versions before the one that the rotation comes from count as proved.
  private static Keystore withEarlierAttested(Keystore keystore) {
    KekVersion from =
        Rotation.unfinishedJob(keystore.rotation()).map(RotationJob::from).orElse(null);
    return withAttested(keystore, (version, _) -> version.equals(from) ? Set.of() : ALL_CLUSTERS);
  }

  private interface AttestedClusters {
    Set<String> of(KekVersion version, VersionEntry entry);
  }

  private static Keystore withAttested(Keystore keystore, AttestedClusters more) {
    SortedMap<KekVersion, VersionEntry> versions = new TreeMap<>(keystore.versions());
    versions.replaceAll((version, known) -> {
      if (known.state() != VersionState.DECRYPT_ONLY) {
        return known;
      }
      SortedSet<String> all = new TreeSet<>(known.attestedClusters());
      all.addAll(more.of(version, known));
      return new VersionEntry(
          known.provider(), known.sentinel(), known.state(), known.trust(), all);
    });
    return SwarmRotationBugs.with(keystore, keystore.rotation(), versions);
  }
}
