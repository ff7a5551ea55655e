package keyfleet.it.soak;

import java.util.ArrayList;
import java.util.List;

/// Checks the order of the key_ids that the plugin shows in Status and Encrypt: a call must show a
/// key_id at least as new as any that was shown before the call began. Thread-safe.
final class KeyIdOrder {
  private final List<String> shown = new ArrayList<>();
  private int allowedCount = 1;

  /// The index of the newest key_id, for a call that begins now.
  synchronized int newest() {
    return shown.size() - 1;
  }

  /// Allows one more key_id, after a rotation was ordered.
  synchronized void allowAnother() {
    allowedCount++;
  }

  /// Throws [SoakFailure] if a call that began when `newest` was the newest must not show this
  /// key_id.
  synchronized void observe(String method, String keyId, int newest) {
    int index = shown.indexOf(keyId);
    if (index < 0 && shown.size() == allowedCount) {
      throw new SoakFailure(
          "%s shows key_id %s without a rotation; shown before: %s"
              .formatted(method, keyId, shown));
    }
    if (index < 0) {
      shown.add(keyId);
    } else if (index < newest) {
      throw new SoakFailure(
          "%s shows key_id %s again, after %s was shown"
              .formatted(method, keyId, shown.get(newest)));
    }
  }
}
