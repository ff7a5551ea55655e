package keyfleet.store.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BootClockTest {
  private static final int MANY = 1_000;

  /// The first readings and the later ones have different sources.
  @Test
  void readings_neverGoBack() {
    BootClock clock = BootClock.system();
    long last = clock.getAsLong();
    assertTrue(last > 0);
    for (int i = 0; i < MANY; i++) {
      long next = clock.getAsLong();
      assertTrue(next >= last, next + " after " + last);
      last = next;
    }
  }

  @Test
  void twoClocksOfOneMachine_agree() {
    BootClock exact = BootClock.system();
    for (int i = 0; i < MANY; i++) {
      exact.getAsLong();
    }
    BootClock coarse = BootClock.system();
    long before = exact.getAsLong();
    long reading = coarse.getAsLong();
    long after = exact.getAsLong();
    long tolerance = Duration.ofMillis(10).toNanos();
    assertTrue(
        reading >= before - tolerance && reading <= after,
        reading + " is not in " + before + ".." + after);
    assertEquals(exact.bootId(), coarse.bootId());
    assertFalse(exact.bootId().isBlank());
  }

  @Test
  void elapsedTime_isMeasured() throws InterruptedException {
    BootClock clock = BootClock.system();
    long begin = clock.getAsLong();
    long nanos = System.nanoTime();
    assertFalse(new CountDownLatch(1).await(50, TimeUnit.MILLISECONDS));
    long awake = System.nanoTime() - nanos;
    long passed = clock.getAsLong() - begin;
    long tolerance = Duration.ofMillis(20).toNanos();
    assertTrue(passed >= awake - tolerance, passed + " while " + awake + " passed");
  }
}
