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

  /// `id` is random and never changes. `incarnation` differs each time a keystore is created again
  /// in its place.
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
          version + " already exists, in state " + versions.get(version).state());
    }
    if (version.compareTo(versions.lastKey()) < 0) {
      return new KeystoreDecision.Refused(
          version + " is below the newest version, " + versions.lastKey());
    }
    SortedMap<KekVersion, VersionEntry> extended = new TreeMap<>(versions);
    extended.put(version, announced.withState(VersionState.ANNOUNCED));
    return new KeystoreDecision.Accepted(with(rotation, extended));
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
}
