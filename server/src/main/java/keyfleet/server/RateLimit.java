package keyfleet.server;

import java.time.Duration;

/// How fast a worker may rewrap records.
///
/// @param perSecond records per second; 0 for no limit
public record RateLimit(int perSecond) {
  public static final RateLimit UNLIMITED = new RateLimit(0);

  private static final long NANOS_PER_SECOND = Duration.ofSeconds(1).toNanos();

  public RateLimit {
    if (perSecond < 0) {
      throw new IllegalArgumentException("a rate must not be negative: " + perSecond);
    }
  }

  /// At most one second of records: a driver writes its heartbeat between two batches.
  int batchSize() {
    return perSecond == 0 ? Integer.MAX_VALUE : perSecond;
  }

  /// The pause after a worker has rewrapped that many records.
  Duration pauseAfter(long rewrapped) {
    return perSecond == 0
        ? Duration.ZERO
        : Duration.ofNanos(rewrapped * NANOS_PER_SECOND / perSecond);
  }
}
