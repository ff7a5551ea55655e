package keyfleet.it.process;

import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/// Waits for a condition that another process makes true; fails after 90 seconds.
public final class Await {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  private Await() {}

  public static void until(String what, BooleanSupplier condition) {
    until(what, condition, () -> "");
  }

  /// `actual` describes the state if the condition never holds.
  public static void until(String what, BooleanSupplier condition, Supplier<String> actual) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        fail(
            "after %d s this is still not true: %s%n%s"
                .formatted(LIMIT.toSeconds(), what, actual.get()));
      }
      LockSupport.parkNanos(STEP_NANOS);
    }
  }
}
