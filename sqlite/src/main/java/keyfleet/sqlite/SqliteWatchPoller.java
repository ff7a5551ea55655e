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
  static final Duration LATE = Duration.ofSeconds(5);

  /// How many changes one poll delivers.
  static final int MAX_CHANGES = 1_000;

  /// Not a record: two equal subscriptions are closed separately.
  private static final class Listener {
    private final Bucket bucket;
    private final Prefix prefix;
    private final Watcher watcher;

    Listener(Bucket bucket, Prefix prefix, Watcher watcher) {
      this.bucket = bucket;
      this.prefix = prefix;
      this.watcher = watcher;
    }
  }

  private final SqliteKvDatabases pair;
  private final LongSupplier clock;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final Semaphore wakes = new Semaphore(0);

  /// The last revision read from each watched database.
  private final Map<SqliteDatabase, Long> reached = new HashMap<>();

  private @Nullable Thread reader;
  private boolean missed;
  private long readAt;

  SqliteWatchPoller(SqliteKvDatabases pair, LongSupplier clock) {
    this.pair = pair;
    this.clock = clock;
  }

  synchronized Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
    SqliteDatabase file = pair.of(bucket);
    if (!reached.containsKey(file)) {
      reached.put(file, file.read(SqliteChangeLog::last));
    }
    Listener listener = new Listener(bucket, prefix, watcher);
    listeners.add(listener);
    if (reader == null) {
      readAt = clock.getAsLong();
      reader = Thread.ofVirtual().name("keyfleet-sqlite-watch").start(this::readOn);
    }
    return () -> listeners.remove(listener);
  }

  /// Called after a write of this process.
  void wake() {
    if (wakes.availablePermits() == 0) {
      wakes.release();
    }
  }

  synchronized Optional<Thread> reader() {
    return Optional.ofNullable(reader);
  }

  @Override
  public synchronized void close() {
    listeners.clear();
    if (reader != null) {
      reader.interrupt();
    }
  }

  private void readOn() {
    try {
      while (readOnce()) {
        wakes.tryAcquire(PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        wakes.drainPermits();
      }
    } catch (InterruptedException e) {
      // Closed: no watcher is left.
      Thread.currentThread().interrupt();
    }
  }

  /// Returns whether there are still watches.
  private synchronized boolean readOnce() {
    if (listeners.isEmpty()) {
      reached.clear();
      reader = null;
      return false;
    }
    long now = clock.getAsLong();
    missed |= now - readAt > LATE.toNanos();
    readAt = now;
    try {
      List<SqliteChangeLog.LoggedChange> changes = new ArrayList<>();
      reached.replaceAll((file, from) -> read(file, from, changes));
      changes.forEach(this::tell);
      if (missed) {
        missed = false;
        listeners.forEach(it -> tell(it, new Missed()));
      }
    } catch (StoreException e) {
      missed = true;
    }
    return true;
  }

  /// Adds the new changes of the database and returns the last revision read.
  private long read(SqliteDatabase file, long from, List<SqliteChangeLog.LoggedChange> changes) {
    if (missed || file.read(session -> SqliteChangeLog.hasGap(session, from))) {
      missed = true;
      return file.read(SqliteChangeLog::last);
    }
    List<SqliteChangeLog.LoggedChange> fresh =
        file.read(session -> SqliteChangeLog.since(session, from, MAX_CHANGES));
    changes.addAll(fresh);
    return fresh.isEmpty() ? from : fresh.getLast().revision();
  }

  private void tell(SqliteChangeLog.LoggedChange change) {
    for (Listener it : listeners) {
      if (it.bucket.name().equals(change.bucket()) && it.prefix.covers(change.key())) {
        tell(it, new Changed(change.key()));
      }
    }
  }

  /// A watcher that throws does not keep the others from their hints.
  private void tell(Listener listener, ChangeHint hint) {
    try {
      if (listeners.contains(listener)) {
        listener.watcher.hint(hint);
      }
    } catch (RuntimeException e) {
      // This watcher loses the hint, as it may lose any hint.
    }
  }
}
