package keyfleet.providers;

import java.time.Duration;

/// What one attempt to ask a remote came to. What cannot heal by asking again is thrown instead.
public sealed interface RemoteResult<T> {
  record Success<T>(T value) implements RemoteResult<T> {}

  /// Asking again may help, after `rest` if the remote named one; zero if it did not.
  record RetryLater<T>(String reason, Duration retryAfter) implements RemoteResult<T> {
    public RetryLater(String reason) {
      this(reason, Duration.ZERO);
    }
  }

  /// What a remote is given that has had too many calls and names no time, or one below a second.
  Duration DEFAULT_RETRY_AFTER = Duration.ofMillis(400);

  /// `RolloutRetry-After` has whole seconds, and servers round down.
  Duration ROUNDING_MARGIN = Duration.ofMillis(250);

  /// Too many calls: a rest in any case, as the next call would be one too many again.
  static <T> RemoteResult<T> throttled(String code, Duration retryAfter) {
    return new RetryLater<>(
        "has had too many calls (" + code + ")",
        retryAfter.isZero() ? DEFAULT_RETRY_AFTER : retryAfter.plus(ROUNDING_MARGIN));
  }
}
