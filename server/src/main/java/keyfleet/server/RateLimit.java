package keyfleet.server;

import java.time.Duration;

/// How fast a worker may move records.
///
/// @param perSecond 0 for as fast as the store takes them
public record RateLimit(int perSecond) {
  public static final RateLimit UNLIMITED = new RateLimit(0);

  private static final long NANOS_PER_SECOND = Duration.ofSeconds(1).toNanos();

  public RateLimit {
    if (perSecond < 0) {
      throw new IllegalArgumentException("a rate is not negative: " + perSecond);
    }
  }

  /// A batch is at most a second's worth: a driver gives its sign of life between two batches.
  int batchSize() {
    return perSecond == 0 ? Integer.MAX_VALUE : perSecond;
  }

  /// What a worker waits after it moved so many.
  Duration pauseAfter(long rewrapped) {
    return perSecond == 0
        ? Duration.ZERO
        : Duration.ofNanos(rewrapped * NANOS_PER_SECOND / perSecond);
  }
}
