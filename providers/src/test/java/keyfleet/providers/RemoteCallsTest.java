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
import keyfleet.providers.RemoteAnswer.Got;
import keyfleet.providers.RemoteAnswer.Later;
import keyfleet.providers.RemoteCalls.Attempt;
import keyfleet.providers.RemoteCalls.Patience;
import org.junit.jupiter.api.Test;

class RemoteCallsTest {
  private final VirtualTicker ticker = new VirtualTicker();
  private final List<Duration> at = new ArrayList<>();
  private final RemoteCalls calls = new RemoteCalls("the remote", ticker, new SplittableRandom(7));

  /// Fails with what it is given, one after the other, then succeeds.
  private Attempt<String> after(List<Later<String>> failures) {
    AtomicInteger tries = new AtomicInteger();
    return _ -> {
      at.add(Duration.ofNanos(ticker.nanos()));
      int now = tries.getAndIncrement();
      return now < failures.size() ? failures.get(now) : new Got<>("value");
    };
  }

  private static Later<String> busy(long seconds) {
    return new Later<>("is busy", Duration.ofSeconds(seconds));
  }

  private String unavailable(Attempt<String> attempt) {
    return assertThrows(KekUnavailableException.class, () -> calls.run(Patience.USE, attempt))
        .getMessage();
  }

  @Test
  void passingFailure_isTriedAgainWithGrowingPauses() {
    assertEquals("value", calls.run(Patience.USE, after(List.of(busy(0), busy(0), busy(0)))));
    assertEquals(RemoteCalls.MAX_ATTEMPTS, at.size());
    long[] pauses = new long[3];
    for (int i = 0; i < 3; i++) {
      pauses[i] = at.get(i + 1).minus(at.get(i)).toMillis();
    }
    assertTrue(pauses[0] >= 25 && pauses[0] <= 50, () -> at.toString());
    assertTrue(pauses[1] >= 50 && pauses[1] <= 100, () -> at.toString());
    assertTrue(pauses[2] >= 100 && pauses[2] <= 200, () -> at.toString());
  }

  @Test
  void failureWithoutEnd_isGivenUpAndNotRepeatedForASecond() {
    Attempt<String> failing = after(List.of(busy(0), busy(0), busy(0), busy(0), busy(0)));
    assertEquals("the remote is busy", unavailable(failing));
    assertEquals(RemoteCalls.MAX_ATTEMPTS, at.size());
    assertTrue(unavailable(failing).contains("asked again in"));
    assertEquals(RemoteCalls.MAX_ATTEMPTS, at.size(), "it was asked in its rest");
    ticker.pause(RemoteCalls.REST);
    assertEquals("value", calls.run(Patience.USE, failing));
  }

  @Test
  void namedRest_isKeptByAllIfItFitsIntoTheirTime() {
    assertEquals("value", calls.run(Patience.USE, after(List.of(busy(2)))));
    assertTrue(at.get(1).compareTo(Duration.ofSeconds(2)) >= 0, () -> at.toString());
  }

  @Test
  void namedRestThatIsTooLong_failsAtOnceAndIsKeptByWhoeverComes() {
    assertEquals("the remote is busy", unavailable(after(List.of(busy(30)))));
    assertEquals(Duration.ZERO, Duration.ofNanos(ticker.nanos()));
    assertTrue(unavailable(after(List.of())).contains("asked again in 300"), "not 30 seconds");
    ticker.pause(Duration.ofSeconds(29));
    assertEquals("value", calls.run(Patience.USE, after(List.of())));
    assertTrue(at.getLast().compareTo(Duration.ofSeconds(30)) >= 0, () -> at.toString());
  }

  @Test
  void namedRestOfADay_isCutToAMinute() {
    unavailable(after(List.of(busy(86_400))));
    ticker.pause(RemoteCalls.MAX_REST);
    assertEquals("value", calls.run(Patience.USE, after(List.of())));
  }

  @Test
  void whatCannotHeal_isThrownAtOnce() {
    ProviderException fault = new ProviderException("a fault", "mend it");
    assertEquals(
        fault,
        assertThrows(
            ProviderException.class,
            () ->
                calls.run(
                    Patience.USE,
                    _ -> {
                      at.add(Duration.ZERO);
                      throw fault;
                    })));
    assertEquals(1, at.size());
  }

  @Test
  void slowAttempts_endWithinTheTotal() {
    Attempt<String> slow =
        limit -> {
          ticker.pause(limit);
          return new Later<>("did not answer");
        };
    unavailable(slow);
    assertTrue(ticker.nanos() <= Duration.ofMillis(2600).toNanos(), () -> ticker.nanos() + " ns");
  }

  @Test
  void interruptedThread_triesNoMore() {
    Thread.currentThread().interrupt();
    try {
      RemoteCalls fresh = new RemoteCalls("the remote", ticker, new SplittableRandom(1));
      assertThrows(
          KekUnavailableException.class,
          () -> fresh.run(Patience.USE, after(List.of(busy(0), busy(0)))));
      assertTrue(at.size() <= 1, () -> at.toString());
      assertTrue(Thread.currentThread().isInterrupted());
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void manyCallers_areLetThroughAFewAtATime() throws ExecutionException, InterruptedException {
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch full = new CountDownLatch(RemoteCalls.MAX_IN_FLIGHT);
    List<Future<String>> all = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 10 * RemoteCalls.MAX_IN_FLIGHT; i++) {
        all.add(
            threads.submit(() ->
                calls.run(
                    Patience.LOOK,
                    _ -> {
                      most.accumulateAndGet(now.incrementAndGet(), Math::max);
                      full.countDown();
                      awaitFull(full);
                      now.decrementAndGet();
                      return new Got<>("value");
                    })));
      }
      for (Future<String> one : all) {
        assertEquals("value", one.get());
      }
    }
    assertEquals(RemoteCalls.MAX_IN_FLIGHT, most.get());
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
    assertEquals("a-1", RequestUid.during("a-1", () -> RequestUid.current().orElseThrow()));
    assertTrue(RequestUid.during("a\r\nX: y", () -> RequestUid.current().isEmpty()));
    assertTrue(RequestUid.during("", () -> RequestUid.current().isEmpty()));
  }
}
