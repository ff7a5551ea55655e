package keyfleet.mongodb;

import com.mongodb.MongoException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import keyfleet.store.ChangeHint;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;
import keyfleet.store.engine.WatchSubscription;

/// Polls for changes and sends hints about them. MongoDB's change streams need a replica set;
/// polling works on every server.
final class MongoWatch implements Watch {
  private static final Duration PERIOD = Duration.ofMillis(400);

  private final MongoStoreClock clock;
  private final MongoChangePoller poller;
  private final WatchSubscription subscription;
  private final Consumer<MongoWatch> onClose;
  private final Thread thread;
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean missed;

  MongoWatch(
      MongoStoreClock clock,
      MongoChangePoller poller,
      Watcher watcher,
      Consumer<MongoWatch> onClose) {
    this.clock = clock;
    this.poller = poller;
    this.subscription = new WatchSubscription(watcher);
    this.onClose = onClose;
    this.thread = Thread.ofVirtual().name("mongodb-watch").unstarted(this::run);
  }

  /// Every change after the return causes a hint.
  void start() {
    try {
      MongoErrors.translate(() -> {
        poller.start(clock.readServerTime());
        return this;
      });
      thread.start();
    } catch (RuntimeException e) {
      onClose.accept(this);
      throw e;
    }
  }

  void markMissed() {
    missed = true;
  }

  @Override
  public void close() {
    subscription.close();
    closed.countDown();
    onClose.accept(this);
  }

  void awaitEnd(Duration limit) {
    try {
      boolean _ = thread.join(limit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      while (!closed.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS)) {
        poll();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// A failed poll loses nothing: the next poll starts where the last successful one ended. The
  /// watcher still gets a `Missed`, because the client may have connected to another server.
  private void poll() {
    try {
      boolean wasMissed = missed;
      List<ChangeHint> hints = poller.poll(clock.readServerTime());
      if (wasMissed) {
        missed = false;
        subscription.deliver(new Missed());
      }
      hints.forEach(subscription::deliver);
    } catch (MongoException | IllegalStateException e) {
      // The driver throws IllegalStateException once its client is closed; this watch is closed
      // too.
      missed = true;
    }
  }
}
