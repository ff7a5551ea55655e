package keyfleet.member.process;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A step that runs repeatedly on its own thread until the process stops. Each step returns the
/// pause before the next one; [#wake] ends that pause early.
///
/// A task survives whatever its step throws, an `Error` included: a process must not lose one of
/// its threads while the others show that it is alive. It reports a lasting failure once.
public final class PeriodicTask {
  /// The pause after a step that threw an exception.
  private static final Duration RETRY_DELAY = Duration.ofSeconds(5);

  private final String activity;
  private final Supplier<Duration> step;
  private final Consumer<ProcessEvent> events;
  private final Semaphore wakeUps = new Semaphore(0);
  private final Thread thread;
  private @Nullable ProcessEvent lastFailure;
  private volatile boolean stopped;

  /// @param activity names the task in reports about its failures
  public PeriodicTask(
      String threadName, String activity, Supplier<Duration> step, Consumer<ProcessEvent> events) {
    this.activity = activity;
    this.step = step;
    this.events = events;
    this.thread = Thread.ofPlatform().daemon().name(threadName).unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  public void wake() {
    wakeUps.release();
  }

  private void run() {
    try {
      while (!stopped) {
        awaitNextStep(runStep());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the process stops all of its threads
    }
  }

  private Duration runStep() {
    try {
      Duration pause = step.get();
      lastFailure = null;
      return pause;
    } catch (RuntimeException | Error e) {
      report(e);
      return RETRY_DELAY;
    }
  }

  private void report(Throwable e) {
    ProcessEvent failure = ProcessEvent.unexpectedFailure(activity, e);
    if (!failure.equals(lastFailure)) {
      lastFailure = failure;
      events.accept(failure);
      events.accept(ProcessEvent.stackOf(activity, e));
    }
  }

  /// Several wake-ups start one step: a step sees everything that happened before it began.
  private void awaitNextStep(Duration pause) throws InterruptedException {
    if (wakeUps.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
      var _ = wakeUps.drainPermits();
    }
  }

  /// Waits until the running step has ended. Returns false if it has not ended within `limit`.
  public boolean stop(Duration limit) {
    stopped = true;
    wake();
    try {
      return !thread.isAlive() || thread.join(limit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
