package keyfleet.kms.state;

import java.time.Duration;

/// When to try again after a failure: the pause doubles with each failure, up to a limit.
///
/// @param dueNanos on a clock of nanoseconds
record RetryBackoff(long dueNanos, Duration pause) {
  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST = Duration.ofSeconds(60);

  /// Nothing has failed: due at once.
  static RetryBackoff ready(long now) {
    return new RetryBackoff(now, SHORTEST);
  }

  boolean isDue(long now) {
    return now - dueNanos >= 0;
  }

  RetryBackoff afterFailure(long now) {
    Duration twice = pause.multipliedBy(2);
    return new RetryBackoff(now + pause.toNanos(), twice.compareTo(LONGEST) > 0 ? LONGEST : twice);
  }
}
