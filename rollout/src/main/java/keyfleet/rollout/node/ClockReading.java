package keyfleet.rollout.node;

import java.time.Duration;
import java.time.Instant;

/// A point in time by both clocks of a node: the elapsed clock, which counts from an arbitrary
/// point of one boot, and the wall clock, which survives a reboot and may be wrong.
public record ClockReading(String boot, long elapsed, Instant wall) {
  /// How many nanoseconds have passed at least. Across a reboot only the wall clock can tell; if it
  /// was set back, the result is 0.
  long elapsedSince(ClockReading earlier) {
    if (boot.equals(earlier.boot)) {
      return Math.max(0, elapsed - earlier.elapsed);
    }
    return Math.max(0, ElapsedTime.toNanos(Duration.between(earlier.wall, wall)));
  }
}
