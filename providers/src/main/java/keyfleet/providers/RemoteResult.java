package keyfleet.providers;

import java.time.Duration;

/// What one attempt to ask a remote came to. What cannot heal by asking again is thrown instead.
public sealed interface RemoteResult<T> {
  record Success<T>(T value) implements RemoteResult<T> {}

  /// Asking again may help, after `rest` if the remote named one; zero if it did not.
  record RetryLater<T>(String why, Duration rest) implements RemoteResult<T> {
    public RetryLater(String why) {
      this(why, Duration.ZERO);
    }
  }

  /// What a remote is given that has had too many calls and names no time, or one below a second.
  Duration UNNAMED_REST = Duration.ofMillis(400);

  /// `RolloutRetry-After` has whole seconds, and servers round down.
  Duration ROUNDED_OFF = Duration.ofMillis(250);

  /// Too many calls: a rest in any case, as the next call would be one too many again.
  static <T> RemoteResult<T> throttled(String code, Duration named) {
    return new RetryLater<>(
        "has had too many calls (" + code + ")",
        named.isZero() ? UNNAMED_REST : named.plus(ROUNDED_OFF));
  }
}
