package keyfleet.cli.secret;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.providers.ProviderSpec.ProviderContext;
import keyfleet.providers.Ticker;

/// Tries again while other writers are faster. The pauses grow and are random, so that writers that
/// collided once do not collide again.
final class ConflictRetry {
  static final Duration TIME_LIMIT = Duration.ofSeconds(10);
  private static final long FIRST_PAUSE_MS = 20;
  private static final long MAX_PAUSE_MS = 1000;

  private final Ticker ticker;
  private final SecureRandom random;

  ConflictRetry(ProviderContext runtime) {
    this.ticker = runtime.ticker();
    this.random = runtime.random();
  }

  /// Empty if each attempt until the time limit was.
  <T> Optional<T> run(Supplier<Optional<T>> attempt) {
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
