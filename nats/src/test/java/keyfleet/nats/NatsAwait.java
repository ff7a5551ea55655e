package keyfleet.nats;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Waits for conditions on a real server.
final class NatsAwait {
  private static final int LIMIT_SECONDS = 60;
  private static final Duration STEP = Duration.ofMillis(20);

  private NatsAwait() {}

  static void until(String what, BooleanSupplier holds) {
    for (int i = 0; !holds.getAsBoolean(); i++) {
      assertTrue(
          i * STEP.toMillis() < LIMIT_SECONDS * 1_000L, () -> "not reached in time: " + what);
      pause(STEP);
    }
  }

  static void pause(Duration duration) {
    new CompletableFuture<@Nullable Void>()
        .completeOnTimeout(null, duration.toMillis(), TimeUnit.MILLISECONDS)
        .join();
  }
}
