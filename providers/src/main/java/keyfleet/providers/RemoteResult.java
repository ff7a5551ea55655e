package keyfleet.providers;

import java.time.Duration;

/// The result of one attempt to call a remote. A failure that a retry cannot fix is thrown instead.
public sealed interface RemoteResult<T> {
  record Success<T>(T value) implements RemoteResult<T> {}

  /// A retry may help, after `retryAfter` if the remote named a time; zero if it did not.
  record RetryLater<T>(String reason, Duration retryAfter) implements RemoteResult<T> {
    public RetryLater(String reason) {
      this(reason, Duration.ZERO);
    }
  }

  /// The pause for a remote that throttles and names no time, or one below a second.
  Duration DEFAULT_RETRY_AFTER = Duration.ofMillis(400);

  /// `Retry-After` is in whole seconds, and servers round down.
  Duration ROUNDING_MARGIN = Duration.ofMillis(250);

  /// The result for a remote that throttles. It always has a pause, because a call right away would
  /// be throttled too.
  static <T> RemoteResult<T> throttled(String code, Duration retryAfter) {
    return new RetryLater<>(
        "received too many calls (" + code + ")",
        retryAfter.isZero() ? DEFAULT_RETRY_AFTER : retryAfter.plus(ROUNDING_MARGIN));
  }
}
