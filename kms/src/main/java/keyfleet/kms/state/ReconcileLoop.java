package keyfleet.kms.state;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import keyfleet.kms.PluginException;
import keyfleet.member.process.ProcessEvent;

/// Calls [KeyReconciler#reconcile] again and again on its own thread. [#wake] brings the next call
/// forward.
public final class ReconcileLoop implements AutoCloseable {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(12);

  /// The pause after a call that failed.
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(5);

  private final Supplier<Duration> reconcile;
  private final Consumer<ProcessEvent> events;
  private final Semaphore wakeups = new Semaphore(0);
  private final Thread thread;
  private String lastReported = "";
  private volatile boolean stopped;

  public ReconcileLoop(Supplier<Duration> reconcile, Consumer<ProcessEvent> events) {
    this.reconcile = reconcile;
    this.events = events;
    this.thread = Thread.ofPlatform().daemon().name("keyfleet-reconcile").unstarted(this::run);
  }

  public ReconcileLoop start() {
    thread.start();
    return this;
  }

  public void wake() {
    wakeups.release();
  }

  private void run() {
    try {
      while (!stopped) {
        if (wakeups.tryAcquire(reconcileOnce().toNanos(), TimeUnit.NANOSECONDS)) {
          var _ = wakeups.drainPermits(); // a call sees everything that happened before it began
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the process interrupts all its threads
    }
  }

  private Duration reconcileOnce() {
    try {
      Duration pause = reconcile.get();
      lastReported = "";
      return pause;
    } catch (PluginException e) {
      reportOnce(
          ProcessEvent.warning(
              "cannot update the announced key and will try again: " + e.getMessage()));
    } catch (RuntimeException e) {
      reportOnce(ProcessEvent.unexpectedFailure("reconciling keys", e));
    }
    return RETRY_PAUSE;
  }

  /// Reports a lasting failure once.
  private void reportOnce(ProcessEvent event) {
    if (!event.message().equals(lastReported)) {
      lastReported = event.message();
      events.accept(event);
    }
  }

  @Override
  public void close() {
    stopped = true;
    wake();
    try {
      var _ = thread.join(STOP_TIMEOUT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
