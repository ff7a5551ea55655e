package keyfleet.server;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/// Work that is done again and again on a thread of its own, until the process ends. It says itself
/// after what time it wants to be done again; a bell brings that forward.
final class PeriodicTask implements AutoCloseable {
  /// For the turn that is under way when the process is told to end.
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

  /// After a turn that broke off.
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
      Thread.currentThread().interrupt(); // somebody ends all threads of the process
    }
  }

  private Duration runStep() {
    try {
      return step.get();
    } catch (RuntimeException e) {
      // Nobody foresaw it. Its message might quote a value, so only its kind and place are said.
      StackTraceElement[] trace = e.getStackTrace();
      log.error(
          "%s broke off, which is a defect: %s at %s"
              .formatted(
                  thread.getName(),
                  e.getClass().getSimpleName(),
                  trace.length == 0 ? "an unknown place" : trace[0]));
      return RETRY_DELAY;
    }
  }

  /// Many rings are one: a turn sees all that happened before it began.
  private void pause(Duration pause) throws InterruptedException {
    if (wakeUps.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
      var _ = wakeUps.drainPermits();
    }
  }

  /// Returns when the turn that is under way is over, or has taken too long.
  @Override
  public void close() {
    stopped = true;
    wake();
    try {
      if (!thread.join(STOP_TIMEOUT)) {
        log.warn(thread.getName() + " did not end in time; whoever comes next goes on");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
