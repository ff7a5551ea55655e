package keyfleet.keyring;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import keyfleet.crypto.KekVersion;

/// The shared state of a keyring: which version is active, the state of each version, which
/// versions may still be written, and the rotation in progress. It is replaced only by
/// compare-and-set.
///
/// `epoch` grows with every change of the active version and never goes back (K7). `writable` is
/// the set of versions that the fences of the record stores accept.
public record Keystore(
    Identity identity,
    long epoch,
    KekVersion active,
    SortedSet<KekVersion> writable,
    Timings timings,
    Rotation rotation,
    SortedMap<KekVersion, VersionEntry> versions,
    List<Activation> activations) {

  /// `id` is random and never changes. `incarnation` is random too: a keystore that was created
  /// again in the place of a lost one has another. Fences remember it.
  public record Identity(String id, long incarnation, Use use) {}

  /// Fixed at creation: a plugin's keys seal no records.
  public enum Use {
    RECORDS,
    KMS
  }

  /// A version that became active in an epoch. The pair is the name of a key for Kubernetes and is
  /// never used twice.
  public record Activation(KekVersion version, long epoch) {}

  public Keystore {
    writable = Collections.unmodifiableSortedSet(new TreeSet<>(writable));
    versions = Collections.unmodifiableSortedMap(new TreeMap<>(versions));
    activations = List.copyOf(activations);
    VersionEntry current = versions.get(active);
    if (current == null || current.state() != VersionState.ACTIVE) {
      throw new IllegalArgumentException("the active version, " + active + ", is not ACTIVE");
    }
    if (!writable.contains(active)) {
      throw new IllegalArgumentException("the active version, " + active + ", is not writable");
    }
  }

  /// The first keystore of a keyring: version 1, active in epoch 1.
  public static Keystore bootstrap(Identity identity, VersionEntry first, Timings timings) {
    KekVersion one = new KekVersion(1);
    NavigableMap<KekVersion, VersionEntry> versions = new TreeMap<>();
    versions.put(one, first.withState(VersionState.ACTIVE));
    NavigableSet<KekVersion> writable = new TreeSet<>(List.of(one));
    return new Keystore(
        identity,
        1,
        one,
        writable,
        timings,
        new Rotation.Idle(),
        versions,
        List.of(new Activation(one, 1)));
  }

  /// The transition for an event. Total: every state answers every event.
  public KeystoreDecision decide(RotationEvent event) {
    return RotationTransitions.decide(this, event);
  }

  /// Empty for a version that was never announced.
  public Optional<VersionState> stateOf(KekVersion version) {
    return Optional.ofNullable(versions.get(version)).map(VersionEntry::state);
  }

  /// Whether the key of `version` may be known to others.
  public boolean isCompromised(KekVersion version) {
    VersionEntry known = versions.get(version);
    return known != null && known.trust() == VersionEntry.Trust.COMPROMISED;
  }

  /// Adds a new version in state ANNOUNCED. A number is never used twice.
  public KeystoreDecision announce(KekVersion version, VersionEntry announced) {
    if (versions.containsKey(version)) {
      return new KeystoreDecision.Refused(
          version + " already exists, in state " + versions.get(version).state().text());
    }
    if (version.compareTo(versions.lastKey()) < 0) {
      return new KeystoreDecision.Refused(
          version + " is below the newest version, " + versions.lastKey());
    }
    SortedMap<KekVersion, VersionEntry> extended = new TreeMap<>(versions);
    extended.put(version, announced.withState(VersionState.ANNOUNCED));
    return new KeystoreDecision.Accepted(with(rotation, extended));
  }

  /// Takes back an announcement. The number is never used again, because processes may have loaded
  /// the key. Refused once anything may have been sealed under the version.
  public KeystoreDecision withdraw(KekVersion version) {
    VersionState state = stateOf(version).orElse(null);
    if (state == null) {
      return new KeystoreDecision.Refused(version + " is not announced");
    }
    if (state == VersionState.WITHDRAWN) {
      return new KeystoreDecision.Ignored();
    }
    boolean wasActive = activations.stream().anyMatch(it -> it.version().equals(version));
    if (state != VersionState.ANNOUNCED || wasActive) {
      return new KeystoreDecision.Refused(
          wasActive && state == VersionState.ANNOUNCED
              ? version + " was active before, so values may be sealed under it"
              : version + " is " + state.text() + "; only an announced version can be withdrawn");
    }
    return new KeystoreDecision.Accepted(with(rotation, version, VersionState.WITHDRAWN));
  }

  /// Records an operator's word that no object of `cluster` in etcd needs `version`.
  public KeystoreDecision attest(KekVersion version, String cluster) {
    if (identity.use() != Use.KMS) {
      return new KeystoreDecision.Refused(
          "this keyring is for records, whose versions are counted; only a kms keyring is attested");
    }
    VersionEntry known = versions.get(version);
    if (known == null || !known.state().canBeCarried() || version.equals(active)) {
      String state = known == null ? "not announced" : known.state().text();
      return new KeystoreDecision.Refused(
          version + " is " + state + "; only a version that was active before can be attested");
    }
    if (isAttested(version, cluster)) {
      return new KeystoreDecision.Ignored();
    }
    SortedMap<KekVersion, VersionEntry> changed = new TreeMap<>(versions);
    changed.put(version, known.withAttestedCluster(cluster));
    return new KeystoreDecision.Accepted(with(rotation, changed));
  }

  /// Whether an operator attested that no object of `cluster` needs `version`.
  public boolean isAttested(KekVersion version, String cluster) {
    VersionEntry known = versions.get(version);
    return known != null && known.attestedClusters().contains(cluster);
  }

  /// The versions that may still be needed to open values, besides the active one.
  public SortedSet<KekVersion> decryptOnlyVersions() {
    SortedSet<KekVersion> found = new TreeSet<>();
    versions.forEach((version, entry) -> {
      if (entry.state() == VersionState.DECRYPT_ONLY) {
        found.add(version);
      }
    });
    return found;
  }

  Keystore with(Rotation newRotation) {
    return with(newRotation, versions);
  }

  Keystore with(Rotation newRotation, KekVersion version, VersionState state) {
    return with(newRotation, withState(versions, version, state));
  }

  /// Marks `version` as compromised.
  Keystore withCompromised(KekVersion version) {
    SortedMap<KekVersion, VersionEntry> changed = new TreeMap<>(versions);
    changed.computeIfPresent(version, (_, known) -> known.withTrustLost());
    return with(rotation, changed);
  }

  private Keystore with(Rotation newRotation, SortedMap<KekVersion, VersionEntry> newVersions) {
    return new Keystore(
        identity, epoch, active, writable, timings, newRotation, newVersions, activations);
  }

  /// Makes `target` active, in a new epoch. `other`, whether active or not, becomes decrypt-only.
  /// Both stay writable until the fence.
  Keystore withActive(KekVersion target, KekVersion other, Rotation newRotation) {
    var states =
        withState(
            withState(versions, other, VersionState.DECRYPT_ONLY), target, VersionState.ACTIVE);
    List<Activation> extended = new ArrayList<>(activations);
    extended.add(new Activation(target, epoch + 1));
    SortedSet<KekVersion> both = new TreeSet<>(List.of(target, other));
    return new Keystore(identity, epoch + 1, target, both, timings, newRotation, states, extended);
  }

  /// Makes only `admitted` writable; the fences of the stores follow.
  Keystore withWritable(Rotation newRotation, KekVersion... admitted) {
    SortedSet<KekVersion> only = new TreeSet<>(List.of(admitted));
    return new Keystore(identity, epoch, active, only, timings, newRotation, versions, activations);
  }

  private static SortedMap<KekVersion, VersionEntry> withState(
      SortedMap<KekVersion, VersionEntry> versions, KekVersion version, VersionState state) {
    SortedMap<KekVersion, VersionEntry> changed = new TreeMap<>(versions);
    changed.computeIfPresent(version, (_, known) -> known.withState(state));
    return changed;
  }

  /// The keystore after a safe hold: `target` alone is active and writable, in a later epoch, and
  /// no rotation is under way.
  Keystore resolved(
      Identity newIdentity,
      long newEpoch,
      SortedMap<KekVersion, VersionEntry> known,
      KekVersion target) {
    SortedMap<KekVersion, VersionEntry> states = new TreeMap<>(known);
    states.replaceAll((version, entry) -> entry.withState(stateAfterHold(version, target, entry)));
    List<Activation> extended = new ArrayList<>(activations);
    if (!target.equals(active)) {
      extended.add(new Activation(target, newEpoch));
    }
    SortedSet<KekVersion> only = new TreeSet<>(List.of(target));
    return new Keystore(
        newIdentity, newEpoch, target, only, timings, new Rotation.Idle(), states, extended);
  }

  private static VersionState stateAfterHold(
      KekVersion version, KekVersion target, VersionEntry entry) {
    if (version.equals(target)) {
      return VersionState.ACTIVE;
    }
    return switch (entry.state()) {
      case ACTIVE, STAGED -> VersionState.DECRYPT_ONLY; // values may be sealed under it
      case ANNOUNCED, WITHDRAWN, DECRYPT_ONLY, DISABLED, DESTROYING, DESTROYED -> entry.state();
    };
  }
}
