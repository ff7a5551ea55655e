package keyfleet.nats;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// All threads of one engine. The driver's default threads would keep the JVM alive.
final class NatsExecutors implements AutoCloseable {
  private final ExecutorService tasks;
  private final ExecutorService callbacks;
  private final ScheduledExecutorService timers;

  NatsExecutors() {
    this.tasks =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("keyfleet-nats-", 0).factory());
    this.callbacks =
        Executors.newSingleThreadExecutor(
            Thread.ofVirtual().name("keyfleet-nats-events").factory());
    this.timers =
        Executors.newScheduledThreadPool(
            2, Thread.ofPlatform().daemon().name("keyfleet-nats-timer-", 0).factory());
  }

  ExecutorService tasks() {
    return tasks;
  }

  /// A single thread, so that a connection's events stay in order.
  ExecutorService callbacks() {
    return callbacks;
  }

  ScheduledExecutorService timers() {
    return timers;
  }

  /// Returns after `duration`, or at once if the engine is closed or the caller is interrupted.
  void pause(Duration duration) {
    try {
      timers.schedule(() -> {}, duration.toMillis(), TimeUnit.MILLISECONDS).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | CancellationException | RejectedExecutionException e) {
      return;
    }
  }

  /// Returns when the callbacks of all earlier events have run.
  void awaitCallbacks(Duration limit) {
    try {
      callbacks.submit(() -> {}).get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
      return;
    }
  }

  @Override
  public void close() {
    tasks.shutdownNow();
    callbacks.shutdownNow();
    timers.shutdownNow();
  }
}
