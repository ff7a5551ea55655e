package keyfleet.member.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import keyfleet.member.process.ProcessEvent.Severity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PeriodicTaskTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final List<ProcessEvent> events = Collections.synchronizedList(new ArrayList<>());
  private final Semaphore steps = new Semaphore(0);

  private PeriodicTask start(Supplier<Duration> step) {
    PeriodicTask task = new PeriodicTask("keyfleet-test", "the test", step, events::add);
    task.start();
    return task;
  }

  private void awaitStep() throws InterruptedException {
    assertTrue(steps.tryAcquire(LIMIT.toSeconds(), TimeUnit.SECONDS), "no step");
  }

  @Test
  void wokenTask_runsItsStepBeforeThePauseEnds() throws InterruptedException {
    PeriodicTask task =
        start(() -> {
          steps.release();
          return LONG;
        });
    awaitStep();
    task.wake();
    awaitStep();
    assertTrue(task.stop(LIMIT));
    assertEquals(List.of(), events);
  }

  @Test
  void stepThatKeepsFailing_isReportedOnceWithoutItsMessage() throws InterruptedException {
    PeriodicTask task =
        start(() -> {
          steps.release();
          throw new IllegalStateException("a secret");
        });
    awaitStep();
    task.wake();
    awaitStep();
    assertTrue(task.stop(LIMIT));
    assertEquals(2, events.size(), events::toString);
    assertEquals(Severity.DEBUG, events.getLast().severity());
    assertTrue(
        events.getLast().message().contains("java.lang.IllegalStateException at keyfleet."),
        events::toString);
    assertFalse(events.getLast().message().contains("secret"), events::toString);
    ProcessEvent only = events.getFirst();
    assertEquals(Severity.ERROR, only.severity());
    assertTrue(
        only.message()
            .startsWith(
                "the test failed unexpectedly, which is a bug: IllegalStateException at keyfleet."),
        only::message);
    assertFalse(only.message().contains("secret"), only::message);
  }

  @Test
  void error_isReportedAndTheTaskContinues() throws InterruptedException {
    PeriodicTask task =
        start(() -> {
          steps.release();
          throw new StackOverflowError("a secret");
        });
    awaitStep();
    task.wake();
    awaitStep();
    assertTrue(task.stop(LIMIT));
    assertEquals(Severity.ERROR, events.getFirst().severity());
    assertFalse(events.toString().contains("secret"), events::toString);
  }

  @Test
  void stop_waitsForTheRunningStepNoLongerThanItsLimit() throws InterruptedException {
    CountDownLatch release = new CountDownLatch(1);
    PeriodicTask task =
        start(() -> {
          steps.release();
          try {
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return Duration.ZERO;
        });
    awaitStep();
    assertFalse(task.stop(Duration.ofMillis(10)));
    release.countDown();
    assertTrue(task.stop(LIMIT));
    assertEquals(0, steps.availablePermits(), "a step ran after the stop");
  }

  @Test
  void taskThatWasNeverStarted_stopsAtOnce() {
    assertTrue(new PeriodicTask("keyfleet-test", "the test", () -> LONG, events::add).stop(LIMIT));
  }
}
