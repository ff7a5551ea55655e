package keyfleet.it.soak;

import java.util.ArrayList;
import java.util.List;

/// The key_ids that a plugin has shown, in their order. Status and Encrypt stand on one line: what
/// a call shows must be as new as all that was shown before the call began. For any thread.
final class KeyIdOrder {
  private final List<String> shown = new ArrayList<>();
  private int allowedCount = 1;

  /// Where a call that begins now finds the line.
  synchronized int newest() {
    return shown.size() - 1;
  }

  /// A rotation was ordered: from now on there may be one more.
  synchronized void allowAnother() {
    allowedCount++;
  }

  /// Throws [SoakFailure] if a call that began at `newest` must not show this.
  synchronized void observe(String method, String keyId, int newest) {
    int index = shown.indexOf(keyId);
    if (index < 0 && shown.size() == allowedCount) {
      throw new SoakFailure(
          "%s shows key_id %s, and nobody rotated to it; shown before: %s"
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
