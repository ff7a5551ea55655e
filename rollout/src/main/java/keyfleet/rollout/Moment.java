package keyfleet.rollout;

import java.time.Duration;
import java.time.Instant;

/// A point in a node's time by both its clocks: the elapsed one, which counts from an arbitrary
/// point of one boot, and the wall, which survives a boot and may be wrong.
public record Moment(String boot, long elapsed, Instant wall) {
  /// How many nanoseconds have passed at least. Across a boot only the wall can tell; one that went
  /// back tells nothing.
  long since(Moment earlier) {
    if (boot.equals(earlier.boot)) {
      return Math.max(0, elapsed - earlier.elapsed);
    }
    return Math.max(0, Elapsed.nanos(Duration.between(earlier.wall, wall)));
  }
}
