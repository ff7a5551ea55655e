package keyfleet.keyring;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import keyfleet.crypto.KekVersion;

/// The state of a keystore that is behind what a store remembers: it was restored from a backup,
/// lost its last write, or was created again in the place of a lost one. Its view of the versions
/// may be old, so until an operator resolves it nothing is sealed, moved or removed; values can
/// still be opened. [HoldResolution] has the two ways out.
public record SafeHold(String collection, String reason) {
  /// The keystore that last fenced a collection, its epoch, and the versions that the fence
  /// accepts.
  public record FenceMark(long incarnation, long epoch, SortedSet<KekVersion> writable) {
    public FenceMark {
      writable = Collections.unmodifiableSortedSet(new TreeSet<>(writable));
    }

    /// Whether a keystore with this fence in its past must be held.
    boolean contradicts(Keystore keystore) {
      return incarnation != keystore.identity().incarnation() || epoch > keystore.epoch();
    }
  }

  /// Empty if every fence agrees with the keystore or is older.
  public static Optional<SafeHold> check(Keystore keystore, Map<String, FenceMark> fences) {
    for (var entry : new TreeMap<>(fences).entrySet()) {
      if (entry.getValue().contradicts(keystore)) {
        String reason = describe(keystore, entry.getValue());
        return Optional.of(new SafeHold(entry.getKey(), entry.getKey() + " " + reason));
      }
    }
    return Optional.empty();
  }

  private static String describe(Keystore keystore, FenceMark mark) {
    return mark.incarnation() == keystore.identity().incarnation()
        ? "was fenced in epoch %d, but the keystore is in epoch %d"
            .formatted(mark.epoch(), keystore.epoch())
        : "was fenced by another keystore";
  }
}
