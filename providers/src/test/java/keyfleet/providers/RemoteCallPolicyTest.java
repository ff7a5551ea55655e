package keyfleet.providers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import keyfleet.crypto.KekUnavailableException;
import keyfleet.providers.RemoteCallPolicy.Attempt;
import keyfleet.providers.RemoteCallPolicy.TimeBudget;
import keyfleet.providers.RemoteResult.RetryLater;
import keyfleet.providers.RemoteResult.Success;
import org.junit.jupiter.api.Test;

class RemoteCallPolicyTest {
  private final VirtualTicker ticker = new VirtualTicker();
  private final List<Duration> attemptTimes = new ArrayList<>();
  private final RemoteCallPolicy callPolicy =
      new RemoteCallPolicy("the remote", ticker, new SplittableRandom(7));

  /// An attempt that fails with each of `failures` in turn, and then succeeds.
  private Attempt<String> failingFirst(List<RetryLater<String>> failures) {
    AtomicInteger tries = new AtomicInteger();
    return _ -> {
      attemptTimes.add(Duration.ofNanos(ticker.nanos()));
      int now = tries.getAndIncrement();
      return now < failures.size() ? failures.get(now) : new Success<>("value");
    };
  }

  private static RetryLater<String> busy(long seconds) {
    return new RetryLater<>("is busy", Duration.ofSeconds(seconds));
  }

  private String unavailable(Attempt<String> attempt) {
    return assertThrows(
            KekUnavailableException.class, () -> callPolicy.run(TimeBudget.KEY_OPERATION, attempt))
        .getMessage();
  }

  @Test
  void passingFailure_isRetriedWithGrowingBackoff() {
    assertEquals(
        "value",
        callPolicy.run(TimeBudget.KEY_OPERATION, failingFirst(List.of(busy(0), busy(0), busy(0)))));
    assertEquals(RemoteCallPolicy.MAX_ATTEMPTS, attemptTimes.size());
    long[] pauses = new long[3];
    for (int i = 0; i < 3; i++) {
      pauses[i] = attemptTimes.get(i + 1).minus(attemptTimes.get(i)).toMillis();
    }
    assertTrue(pauses[0] >= 25 && pauses[0] <= 50, () -> attemptTimes.toString());
    assertTrue(pauses[1] >= 50 && pauses[1] <= 100, () -> attemptTimes.toString());
    assertTrue(pauses[2] >= 100 && pauses[2] <= 200, () -> attemptTimes.toString());
  }

  @Test
  void permanentFailure_isGivenUpAndNotRepeatedForASecond() {
    Attempt<String> failing = failingFirst(List.of(busy(0), busy(0), busy(0), busy(0), busy(0)));
    assertEquals("the remote is busy", unavailable(failing));
    assertEquals(RemoteCallPolicy.MAX_ATTEMPTS, attemptTimes.size());
    assertTrue(unavailable(failing).contains("next call allowed in"));
    assertEquals(RemoteCallPolicy.MAX_ATTEMPTS, attemptTimes.size(), "it was asked in its rest");
    ticker.pause(RemoteCallPolicy.COOL_DOWN);
    assertEquals("value", callPolicy.run(TimeBudget.KEY_OPERATION, failing));
  }

  @Test
  void retryAfter_isAwaitedIfItFitsIntoTheBudget() {
    assertEquals("value", callPolicy.run(TimeBudget.KEY_OPERATION, failingFirst(List.of(busy(2)))));
    assertTrue(
        attemptTimes.get(1).compareTo(Duration.ofSeconds(2)) >= 0, () -> attemptTimes.toString());
  }

  @Test
  void retryAfterBeyondTheBudget_failsAtOnceAndDelaysLaterCalls() {
    assertEquals("the remote is busy", unavailable(failingFirst(List.of(busy(30)))));
    assertEquals(Duration.ZERO, Duration.ofNanos(ticker.nanos()));
    assertTrue(
        unavailable(failingFirst(List.of())).contains("next call allowed in 300"),
        "not 30 seconds");
    ticker.pause(Duration.ofSeconds(29));
    assertEquals("value", callPolicy.run(TimeBudget.KEY_OPERATION, failingFirst(List.of())));
    assertTrue(
        attemptTimes.getLast().compareTo(Duration.ofSeconds(30)) >= 0,
        () -> attemptTimes.toString());
  }

  @Test
  void retryAfterOfADay_isCutToAMinute() {
    unavailable(failingFirst(List.of(busy(86_400))));
    ticker.pause(RemoteCallPolicy.MAX_COOL_DOWN);
    assertEquals("value", callPolicy.run(TimeBudget.KEY_OPERATION, failingFirst(List.of())));
  }

  @Test
  void permanentFault_isThrownAtOnce() {
    ProviderException fault = new ProviderException("a fault", "mend it");
    assertEquals(
        fault,
        assertThrows(
            ProviderException.class,
            () ->
                callPolicy.run(
                    TimeBudget.KEY_OPERATION,
                    _ -> {
                      attemptTimes.add(Duration.ZERO);
                      throw fault;
                    })));
    assertEquals(1, attemptTimes.size());
  }

  @Test
  void slowAttempts_endWithinTheTotal() {
    Attempt<String> slow =
        limit -> {
          ticker.pause(limit);
          return new RetryLater<>("did not answer");
        };
    unavailable(slow);
    assertTrue(ticker.nanos() <= Duration.ofMillis(2600).toNanos(), () -> ticker.nanos() + " ns");
  }

  @Test
  void interruptedThread_doesNotRetry() {
    Thread.currentThread().interrupt();
    try {
      RemoteCallPolicy fresh = new RemoteCallPolicy("the remote", ticker, new SplittableRandom(1));
      assertThrows(
          KekUnavailableException.class,
          () -> fresh.run(TimeBudget.KEY_OPERATION, failingFirst(List.of(busy(0), busy(0)))));
      assertTrue(attemptTimes.size() <= 1, () -> attemptTimes.toString());
      assertTrue(Thread.currentThread().isInterrupted());
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void manyCallers_runAFewAtATime() throws ExecutionException, InterruptedException {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch full = new CountDownLatch(RemoteCallPolicy.MAX_IN_FLIGHT);
    List<Future<String>> all = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 10 * RemoteCallPolicy.MAX_IN_FLIGHT; i++) {
        all.add(
            threads.submit(() ->
                callPolicy.run(
                    TimeBudget.LOAD,
                    _ -> {
                      most.accumulateAndGet(now.incrementAndGet(), Math::max);
                      full.countDown();
                      awaitFull(full);
                      now.decrementAndGet();
                      return new Success<>("value");
                    })));
      }
      for (Future<String> one : all) {
        assertEquals("value", one.get());
      }
    }
    assertEquals(RemoteCallPolicy.MAX_IN_FLIGHT, most.get());
  }

  private static void awaitFull(CountDownLatch full) {
    try {
      full.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void uidOfARequest_isKnownWithinItAndOnlyIfItIsSafe() {
    assertTrue(RequestUid.current().isEmpty());
    assertEquals("a-1", RequestUid.callWith("a-1", () -> RequestUid.current().orElseThrow()));
    assertTrue(RequestUid.callWith("a\r\nX: y", () -> RequestUid.current().isEmpty()));
    assertTrue(RequestUid.callWith("", () -> RequestUid.current().isEmpty()));
  }
}
