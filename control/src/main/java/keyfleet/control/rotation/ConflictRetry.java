package keyfleet.control.rotation;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import keyfleet.providers.Ticker;

/// Tries again while other writers are faster. The pauses grow and are random, so that writers that
/// collided once do not collide again.
///
/// @param random draws the pauses
public record ConflictRetry(Ticker ticker, RandomGenerator random) {
  public static final Duration TIME_LIMIT = Duration.ofSeconds(10);
  private static final long FIRST_PAUSE_MS = 20;
  private static final long MAX_PAUSE_MS = 1000;

  /// Empty if each attempt until the time limit was.
  public <T> Optional<T> run(Supplier<Optional<T>> attempt) {
    long start = ticker.nanos();
    long pause = FIRST_PAUSE_MS;
    Optional<T> result = attempt.get();
    while (result.isEmpty() && ticker.nanos() - start < TIME_LIMIT.toNanos()) {
      ticker.pause(Duration.ofMillis(random.nextLong(pause / 2, pause + 1)));
      pause = Math.min(MAX_PAUSE_MS, 2 * pause);
      result = attempt.get();
    }
    return result;
  }
}
