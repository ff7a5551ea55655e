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

/// What is true of a keyring for the whole fleet: which version is active, what may be done with
/// each, which may still be written, and the rotation that is changing it. It is replaced by
/// compare-and-set only.
///
/// `epoch` grows with every change of the active version and never goes back (K7). `writable` is
/// what the fences of the record stores admit.
public record Keystore(
    Identity identity,
    long epoch,
    KekVersion active,
    SortedSet<KekVersion> writable,
    Timings timings,
    Rotation rotation,
    SortedMap<KekVersion, VersionEntry> versions,
    List<Activation> activations) {

  /// `id` is random and stays; `incarnation` is higher each time a keystore is made anew in its
  /// place.
  public record Identity(String id, long incarnation, Use use) {}

  /// Fixed at creation: a plugin's keys seal no records.
  public enum Use {
    RECORDS,
    KMS
  }

  /// A version became active in an epoch. The pair names a key to Kubernetes and is never used
  /// twice.
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
      throw new IllegalArgumentException("nobody may write the active version, " + active);
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

  /// What `event` comes to. Total: every state answers every event.
  public KeystoreDecision decide(RotationEvent rotationEvent) {
    return RotationTransitions.decide(this, rotationEvent);
  }

  /// Nothing for a version that was never announced.
  public Optional<VersionState> stateOf(KekVersion version) {
    return Optional.ofNullable(versions.get(version)).map(VersionEntry::state);
  }

  /// Whether somebody else may hold the bytes of `version`.
  public boolean isCompromised(KekVersion version) {
    VersionEntry known = versions.get(version);
    return known != null && known.trust() == VersionEntry.Trust.COMPROMISED;
  }

  /// Makes a version known. It must be new: a number is never used twice.
  public KeystoreDecision announce(KekVersion version, VersionEntry announced) {
    if (versions.containsKey(version)) {
      return new KeystoreDecision.Refused(
          version + " is known already, as " + versions.get(version).state());
    }
    if (version.compareTo(versions.lastKey()) < 0) {
      return new KeystoreDecision.Refused(
          version + " is below " + versions.lastKey() + ", the newest");
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

  /// From here on `version` is not ours alone.
  Keystore withCompromised(KekVersion version) {
    SortedMap<KekVersion, VersionEntry> changed = new TreeMap<>(versions);
    changed.computeIfPresent(version, (_, known) -> known.withTrustLost());
    return with(rotation, changed);
  }

  private Keystore with(Rotation newRotation, SortedMap<KekVersion, VersionEntry> newVersions) {
    return new Keystore(
        identity, epoch, active, writable, timings, newRotation, newVersions, activations);
  }

  /// Makes `target` active, in a new epoch. `other`, active or not until now, may only be
  /// decrypted. Both stay writable until the fence.
  Keystore withActive(KekVersion target, KekVersion other, Rotation newRotation) {
    var states =
        withState(
            withState(versions, other, VersionState.DECRYPT_ONLY), target, VersionState.ACTIVE);
    List<Activation> extended = new ArrayList<>(activations);
    extended.add(new Activation(target, epoch + 1));
    SortedSet<KekVersion> both = new TreeSet<>(List.of(target, other));
    return new Keystore(identity, epoch + 1, target, both, timings, newRotation, states, extended);
  }

  /// Only `admitted` may be written from here on; the stores' fences follow.
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
