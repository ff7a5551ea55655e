package keyfleet.keyring;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.KeystoreDecision.Refused;
import keyfleet.keyring.SafeHold.FenceMark;
import org.jspecify.annotations.Nullable;

/// Ends a safe hold, on the word of an operator. Either way the next epoch is above the epoch of
/// the keystore and of every fence, the rotation that the keystore remembers is dropped, and no
/// version is forgotten: what is sealed under it can still be opened.
public final class HoldResolution {
  private HoldResolution() {}

  /// The fences are right: the keystore is older than they are. The newest version that they accept
  /// becomes active.
  ///
  /// @param found entries for the versions that the fences accept and the keystore does not know,
  ///   made by a process that holds their keys
  public static KeystoreDecision adoptFences(
      Keystore keystore, Collection<FenceMark> fences, Map<KekVersion, VersionEntry> found) {
    List<FenceMark> ahead = fences.stream().filter(it -> it.contradicts(keystore)).toList();
    if (ahead.isEmpty()) {
      return new Refused("no fence is ahead of the keystore");
    }
    if (ahead.stream().map(FenceMark::incarnation).distinct().count() > 1) {
      return new Refused("the collections were fenced by different keystores, so none is right");
    }
    SortedSet<KekVersion> accepted = new TreeSet<>();
    long epoch = ahead.stream().mapToLong(FenceMark::epoch).max().orElseThrow();
    ahead.stream().filter(it -> it.epoch() == epoch).forEach(it -> accepted.addAll(it.writable()));
    SortedMap<KekVersion, VersionEntry> versions = versionsAfterUse(keystore, accepted, found);
    List<KekVersion> unusable =
        accepted.stream().filter(it -> !isUsable(versions.get(it))).toList();
    if (!unusable.isEmpty()) {
      return new Refused(
          "the fences accept %s, which the keystore cannot use"
              .formatted(
                  unusable.stream().map(KekVersion::toString).collect(Collectors.joining(", "))));
    }
    Keystore.Identity own = keystore.identity();
    var identity = new Keystore.Identity(own.id(), ahead.getFirst().incarnation(), own.use());
    return new Accepted(
        keystore.resolved(identity, nextEpoch(keystore, fences), versions, accepted.last()));
  }

  /// The keystore is right: the fences give way to it. Records may carry what its own fences
  /// accepted, so a version that it only knows as announced is needed from now on.
  public static KeystoreDecision acceptKeystore(Keystore keystore, Collection<FenceMark> fences) {
    if (fences.stream().noneMatch(it -> it.contradicts(keystore))) {
      return new Refused("no fence is ahead of the keystore");
    }
    SortedSet<KekVersion> accepted = new TreeSet<>();
    fences.stream()
        .filter(it -> it.incarnation() == keystore.identity().incarnation())
        .forEach(it -> accepted.addAll(it.writable()));
    return new Accepted(
        keystore.resolved(
            keystore.identity(),
            nextEpoch(keystore, fences),
            versionsAfterUse(keystore, accepted, Map.of()),
            keystore.active()));
  }

  /// The versions of the keystore, and those of `found` that were `accepted`. Announced ones that
  /// were accepted are decrypt-only now: records may carry them.
  private static SortedMap<KekVersion, VersionEntry> versionsAfterUse(
      Keystore keystore, SortedSet<KekVersion> accepted, Map<KekVersion, VersionEntry> found) {
    SortedMap<KekVersion, VersionEntry> versions = new TreeMap<>(keystore.versions());
    for (KekVersion version : accepted) {
      VersionEntry entry = versions.getOrDefault(version, found.get(version));
      if (entry != null && entry.state() == VersionState.ANNOUNCED) {
        versions.put(version, entry.withState(VersionState.DECRYPT_ONLY));
      }
    }
    return versions;
  }

  private static boolean isUsable(@Nullable VersionEntry entry) {
    return entry != null
        && switch (entry.state()) {
          case ANNOUNCED, STAGED, ACTIVE, DECRYPT_ONLY, DISABLED -> true;
          case WITHDRAWN, DESTROYING, DESTROYED -> false;
        };
  }

  private static long nextEpoch(Keystore keystore, Collection<FenceMark> fences) {
    return 1
        + Math.max(
            keystore.epoch(), fences.stream().mapToLong(FenceMark::epoch).max().orElseThrow());
  }
}
