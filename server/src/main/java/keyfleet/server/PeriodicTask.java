package keyfleet.server;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import keyfleet.member.process.ProcessEvent;
import keyfleet.member.process.ProcessEvent.Severity;

/// A step that runs repeatedly on its own thread until the process stops. Each step returns the
/// pause before the next one; [#wake] ends that pause early.
final class PeriodicTask implements AutoCloseable {
  /// How long [#close] waits for a running step.
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

  /// The pause after a step that threw an exception.
  private static final Duration RETRY_DELAY = Duration.ofSeconds(5);

  private final Supplier<Duration> step;
  private final EventLog log;
  private final Semaphore wakeUps = new Semaphore(0);
  private final Thread thread;
  private volatile boolean stopped;

  PeriodicTask(String name, Supplier<Duration> step, EventLog log) {
    this.step = step;
    this.log = log;
    this.thread = Thread.ofPlatform().daemon().name("keyfleet-" + name).unstarted(this::run);
  }

  PeriodicTask start() {
    thread.start();
    return this;
  }

  void wake() {
    wakeUps.release();
  }

  private void run() {
    try {
      while (!stopped) {
        pause(runStep());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the process stops all of its threads
    }
  }

  private Duration runStep() {
    try {
      return step.get();
    } catch (RuntimeException e) {
      // The message of an unexpected exception may quote a secret: log only its class and place.
      StackTraceElement[] trace = e.getStackTrace();
      log.write(
          new ProcessEvent(
              Severity.ERROR,
              "%s failed unexpectedly, which is a bug: %s at %s"
                  .formatted(
                      thread.getName(),
                      e.getClass().getSimpleName(),
                      trace.length == 0 ? "an unknown line" : trace[0])));
      return RETRY_DELAY;
    }
  }

  /// Several wake-ups start one step: a step sees everything that happened before it began.
  private void pause(Duration pause) throws InterruptedException {
    if (wakeUps.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
      var _ = wakeUps.drainPermits();
    }
  }

  /// Returns when the running step has ended, at the latest after [#STOP_TIMEOUT].
  @Override
  public void close() {
    stopped = true;
    wake();
    try {
      if (!thread.join(STOP_TIMEOUT)) {
        log.warn(
            "%s did not stop within %d s; another process continues its work"
                .formatted(thread.getName(), STOP_TIMEOUT.toSeconds()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
