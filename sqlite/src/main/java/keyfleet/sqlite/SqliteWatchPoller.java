package keyfleet.sqlite;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import keyfleet.store.Bucket;
import keyfleet.store.Prefix;
import keyfleet.store.StoreException;
import keyfleet.store.Watch;
import keyfleet.store.Watcher;
import keyfleet.store.engine.WatchSubscriptions;
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

  private final SqliteKvDatabases databases;
  private final LongSupplier clock;
  private final WatchSubscriptions subscriptions = new WatchSubscriptions();
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
    Watch watch = subscriptions.add(bucket, prefix, watcher);
    if (pollThread == null) {
      lastPoll = clock.getAsLong();
      pollThread = Thread.ofVirtual().name("keyfleet-sqlite-watch").start(this::pollUntilClosed);
    }
    return watch;
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
    subscriptions.close();
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
      changes.forEach(it -> subscriptions.deliverChange(it.bucket(), it.key()));
      if (missed) {
        missed = false;
        subscriptions.deliverMissed();
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
}
