package keyfleet.kms.state;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import keyfleet.kms.PluginEvent;
import keyfleet.kms.PluginException;

/// Turns a [KeyReconciler] on a thread of its own, again and again; a bell brings the next turn
/// forward.
public final class ReconcileLoop implements AutoCloseable {
  private static final Duration LONGEST_STOP = Duration.ofSeconds(12);

  /// After a turn that broke off.
  private static final Duration AGAIN = Duration.ofSeconds(5);

  private final Supplier<Duration> turn;
  private final Consumer<PluginEvent> events;
  private final Semaphore bell = new Semaphore(0);
  private final Thread thread;
  private String trouble = "";
  private volatile boolean over;

  public ReconcileLoop(Supplier<Duration> turn, Consumer<PluginEvent> events) {
    this.turn = turn;
    this.events = events;
    this.thread = Thread.ofPlatform().daemon().name("keyfleet-keeper").unstarted(this::run);
  }

  public ReconcileLoop start() {
    thread.start();
    return this;
  }

  public void ring() {
    bell.release();
  }

  private void run() {
    try {
      while (!over) {
        if (bell.tryAcquire(turned().toNanos(), TimeUnit.NANOSECONDS)) {
          var _ = bell.drainPermits(); // a turn sees all that happened before it began
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // somebody ends all threads of the process
    }
  }

  private Duration turned() {
    try {
      Duration pause = turn.get();
      trouble = "";
      return pause;
    } catch (PluginException e) {
      tell(new PluginEvent.ReconcileFailed(e.getMessage()));
    } catch (RuntimeException e) {
      tell(PluginEvent.UnexpectedFailure.of("a turn", e));
    }
    return AGAIN;
  }

  /// What lasts is said once.
  private void tell(PluginEvent event) {
    if (!event.words().equals(trouble)) {
      trouble = event.words();
      events.accept(event);
    }
  }

  @Override
  public void close() {
    over = true;
    ring();
    try {
      var _ = thread.join(LONGEST_STOP);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
