package keyfleet.keyring;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// A keystore that is behind what a store remembers was restored from a backup, or lost its last
/// write. Its word on versions may be old, so nothing is sealed, moved or removed by it until a
/// person resolves it; values can be opened.
public record SafeHold(String collection, String reason) {
  /// Who last fenced a collection.
  public record FenceMark(long incarnation, long epoch) {}

  /// Nothing if every fence agrees with the keystore or is older.
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
                    + ", and the keystore is in "
                    + keystore.epoch()));
      }
    }
    return Optional.empty();
  }

  private static SafeHold holdOn(String collection, String reason) {
    return new SafeHold(collection, collection + " " + reason);
  }
}
