package keyfleet.keyring;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The state of a keystore that is behind what a store remembers: it was restored from a backup or
/// lost its last write. Its view of the versions may be old, so until an operator resolves it
/// nothing is sealed, moved or removed; values can still be opened.
public record SafeHold(String collection, String reason) {
  /// The keystore incarnation and epoch that last fenced a collection.
  public record FenceMark(long incarnation, long epoch) {}

  /// Empty if every fence agrees with the keystore or is older.
  public static Optional<SafeHold> check(Keystore keystore, Map<String, FenceMark> fences) {
    for (var entry : new TreeMap<>(fences).entrySet()) {
      FenceMark fenceMark = entry.getValue();
      if (fenceMark.incarnation() != keystore.identity().incarnation()) {
        return Optional.of(holdOn(entry.getKey(), "was fenced by another keystore"));
      }
      if (fenceMark.epoch() > keystore.epoch()) {
        return Optional.of(
            holdOn(
                entry.getKey(),
                "was fenced in epoch "
                    + fenceMark.epoch()
                    + ", but the keystore is in epoch "
                    + keystore.epoch()));
      }
    }
    return Optional.empty();
  }

  private static SafeHold holdOn(String collection, String reason) {
    return new SafeHold(collection, collection + " " + reason);
  }
}
