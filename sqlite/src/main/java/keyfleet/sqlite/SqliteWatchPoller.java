package keyfleet.sqlite;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import keyfleet.store.Bucket;
import keyfleet.store.ChangeHint;
import keyfleet.store.ChangeHint.Changed;
import keyfleet.store.ChangeHint.Missed;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;
import org.jspecify.annotations.Nullable;

/// Delivers the changes in the databases' change logs to watchers. One thread polls the logs, for
/// the writes of other processes, and reads them at once after a write of this process. It runs
/// while there are watches.
final class SqliteWatchPoller implements AutoCloseable {
  static final Duration PERIOD = Duration.ofMillis(250);

  /// A longer gap between two polls means that hints were late: the machine was suspended or
  /// overloaded.
  static final Duration LATE_LIMIT = Duration.ofSeconds(5);

  /// How many changes one poll delivers.
  static final int MAX_CHANGES_PER_POLL = 1_000;

  /// Not a record: two equal subscriptions are closed separately.
  private static final class Subscription {
    private final Bucket bucket;
    private final Prefix prefix;
    private final Watcher watcher;

    Subscription(Bucket bucket, Prefix prefix, Watcher watcher) {
      this.bucket = bucket;
      this.prefix = prefix;
      this.watcher = watcher;
    }
  }

  private final SqliteKvDatabases databases;
  private final LongSupplier clock;
  private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
  private final Semaphore wakes = new Semaphore(0);

  /// The last revision read from each watched database.
  private final Map<SqliteDatabase, Long> lastRevisions = new HashMap<>();

  private @Nullable Thread pollThread;
  private boolean missed;
  private long lastPoll;

  SqliteWatchPoller(SqliteKvDatabases databases, LongSupplier clock) {
    this.databases = databases;
    this.clock = clock;
  }

  synchronized Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
    SqliteDatabase database = databases.databaseOf(bucket);
    if (!lastRevisions.containsKey(database)) {
      lastRevisions.put(database, database.read(SqliteChangeLog::lastRevision));
    }
    Subscription subscription = new Subscription(bucket, prefix, watcher);
    subscriptions.add(subscription);
    if (pollThread == null) {
      lastPoll = clock.getAsLong();
      pollThread = Thread.ofVirtual().name("keyfleet-sqlite-watch").start(this::pollUntilClosed);
    }
    return () -> subscriptions.remove(subscription);
  }

  /// Called after a write of this process.
  void wake() {
    if (wakes.availablePermits() == 0) {
      wakes.release();
    }
  }

  synchronized Optional<Thread> pollThread() {
    return Optional.ofNullable(pollThread);
  }

  @Override
  public synchronized void close() {
    subscriptions.clear();
    if (pollThread != null) {
      pollThread.interrupt();
    }
  }

  private void pollUntilClosed() {
    try {
      while (pollOnce()) {
        wakes.tryAcquire(PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        wakes.drainPermits();
      }
    } catch (InterruptedException e) {
      // Closed: no watcher is left.
      Thread.currentThread().interrupt();
    }
  }

  /// Returns whether there are still watches.
  private synchronized boolean pollOnce() {
    if (subscriptions.isEmpty()) {
      lastRevisions.clear();
      pollThread = null;
      return false;
    }
    long now = clock.getAsLong();
    missed |= now - lastPoll > LATE_LIMIT.toNanos();
    lastPoll = now;
    try {
      List<SqliteChangeLog.LoggedChange> changes = new ArrayList<>();
      lastRevisions.replaceAll((database, from) -> readChanges(database, from, changes));
      changes.forEach(this::deliver);
      if (missed) {
        missed = false;
        subscriptions.forEach(it -> deliver(it, new Missed()));
      }
    } catch (StoreException e) {
      missed = true;
    }
    return true;
  }

  /// Adds the new changes of the database and returns the last revision read.
  private long readChanges(
      SqliteDatabase database, long from, List<SqliteChangeLog.LoggedChange> changes) {
    if (missed || database.read(session -> SqliteChangeLog.hasGapAfter(session, from))) {
      missed = true;
      return database.read(SqliteChangeLog::lastRevision);
    }
    List<SqliteChangeLog.LoggedChange> fresh =
        database.read(session -> SqliteChangeLog.changesSince(session, from, MAX_CHANGES_PER_POLL));
    changes.addAll(fresh);
    return fresh.isEmpty() ? from : fresh.getLast().revision();
  }

  private void deliver(SqliteChangeLog.LoggedChange change) {
    for (Subscription it : subscriptions) {
      if (it.bucket.name().equals(change.bucket()) && it.prefix.matches(change.key())) {
        deliver(it, new Changed(change.key()));
      }
    }
  }

  /// A watcher that throws does not stop the others from getting the hint.
  private void deliver(Subscription subscription, ChangeHint hint) {
    try {
      if (subscriptions.contains(subscription)) {
        subscription.watcher.onHint(hint);
      }
    } catch (RuntimeException e) {
      // This watcher loses the hint, as it may lose any hint.
    }
  }
}
