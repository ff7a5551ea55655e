package keyfleet.rollout;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/// Arithmetic on a monotonic clock in nanoseconds, whose zero has no meaning.
final class Elapsed {
  /// Far beyond any deadline, and far from the overflow of a long.
  private static final long FOREVER = Long.MAX_VALUE / 4;

  private Elapsed() {}

  static long nanos(Duration duration) {
    return Math.clamp(TimeUnit.NANOSECONDS.convert(duration), -FOREVER, FOREVER);
  }

  static boolean hasCome(long moment, long now) {
    return now - moment >= 0;
  }
}
