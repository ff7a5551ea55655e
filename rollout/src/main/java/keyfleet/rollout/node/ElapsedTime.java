package keyfleet.rollout.node;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// Arithmetic on a monotonic clock in nanoseconds, whose zero has no meaning.
final class ElapsedTime {
  /// Far beyond any deadline, and far from the overflow of a long.
  private static final long FOREVER = Long.MAX_VALUE / 4;

  private ElapsedTime() {}

  static long toNanos(Duration duration) {
    return Math.clamp(TimeUnit.NANOSECONDS.convert(duration), -FOREVER, FOREVER);
  }

  static boolean isReached(long moment, long now) {
    return now - moment >= 0;
  }
}
