package keyfleet.sqlite;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.store.StoreException;
import keyfleet.store.StoreTime;
import keyfleet.store.host.BootClock;

/// Store time: the machine's boot clock plus an offset, so that it continues over reboots. The file
/// stores a limit, the column `told`, about a minute ahead of the clock; after a reboot store time
/// continues from that limit.
///
/// The clock never reports a time above the stored limit, so a power failure cannot make it go
/// back.
final class SqliteStoreClock {
  /// How far ahead of the clock the limit is set. So the limit is written about once in this time,
  /// and a reboot moves store time forward by at most this much.
  static final Duration AHEAD = Duration.ofMinutes(1);

  /// The least distance to the limit when a write begins: longer than a write may wait.
  private static final Duration SLACK = Duration.ofSeconds(25);

  private static final long MILLISECOND = 1_000_000;
  private static final String READ = "SELECT boot, base, told FROM keyfleet_store";

  /// During that boot, store time is the offset plus the clock's milliseconds.
  private record ClockState(String boot, long base, long limit) {}

  private final SqliteDatabase stateDatabase;
  private final BootClock clock;
  private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);
  private volatile ClockState clockState;

  private SqliteStoreClock(SqliteDatabase stateDatabase, BootClock clock, ClockState clockState) {
    this.stateDatabase = stateDatabase;
    this.clock = clock;
    this.clockState = clockState;
  }

  static SqliteStoreClock of(SqliteDatabase stateDatabase, BootClock clock) {
    SqliteStoreClock storeClock =
        new SqliteStoreClock(stateDatabase, clock, stateDatabase.read(SqliteStoreClock::readState));
    if (stateDatabase.isForReading()) {
      return storeClock.continueUnsaved();
    }
    if (!storeClock.isSameBoot(storeClock.clockState)) {
      storeClock.clockState = stateDatabase.writeRepeatable(storeClock::startAfterLimit);
    }
    return storeClock;
  }

  /// The same clock for a reader, which does not store its offset: after a reboot it continues from
  /// the limit, as the first writer will.
  private SqliteStoreClock continueUnsaved() {
    ClockState found = clockState;
    if (!isSameBoot(found)) {
      clockState = new ClockState(clock.bootId(), found.limit() - clockMillis(), found.limit());
    }
    return this;
  }

  /// Reports the reading that was checked against the limit: a second reading might already be past
  /// it.
  StoreTime now() {
    long now = readClock();
    if (now > clockState.limit() && !stateDatabase.isForReading()) {
      raiseLimit();
    }
    return new StoreTime(now);
  }

  /// Called before a write, because the limit cannot be raised inside its transaction.
  void ensureSlack() {
    if (readClock() + SLACK.toMillis() > clockState.limit()) {
      raiseLimit();
    }
  }

  /// Called inside a transaction, so that times are in the order of the writes.
  long nowInTransaction() {
    long now = readClock();
    if (now > clockState.limit()) {
      throw new StoreException(
          "the machine was suspended during a write to " + stateDatabase.path());
    }
    return now;
  }

  /// No process has written a time later than this.
  long readLimit() {
    return stateDatabase.read(SqliteStoreClock::readState).limit();
  }

  /// Another process may have read a finer clock, so time must not fall behind what it wrote.
  void observe(StoreTime time) {
    last.accumulateAndGet(time.millis(), Math::max);
  }

  private long readClock() {
    return last.accumulateAndGet(clockState.base() + clockMillis(), Math::max);
  }

  private long clockMillis() {
    return clock.getAsLong() / MILLISECOND;
  }

  private void raiseLimit() {
    ClockState found = stateDatabase.read(SqliteStoreClock::readState);
    clockState =
        found.limit() > readClock() + SLACK.toMillis()
            ? found
            : stateDatabase.writeRepeatable(this::storeHigherLimit);
  }

  private ClockState storeHigherLimit(SqliteSession session) throws SQLException {
    long limit = readClock() + AHEAD.toMillis();
    session.update("UPDATE keyfleet_store SET told = max(told, ?)", limit);
    return readState(session);
  }

  private ClockState startAfterLimit(SqliteSession session) throws SQLException {
    ClockState found = readState(session);
    if (!isSameBoot(found)) {
      session.update(
          "UPDATE keyfleet_store SET boot = ?, base = ?",
          clock.bootId(),
          found.limit() - clockMillis());
    }
    return readState(session);
  }

  /// During one boot the limit is never far ahead of the clock; if it is, the clock went back.
  private boolean isSameBoot(ClockState found) {
    return found.boot().equals(clock.bootId())
        && found.base() + clockMillis() >= found.limit() - 2 * AHEAD.toMillis();
  }

  private static ClockState readState(SqliteSession session) throws SQLException {
    return session
        .row(READ, row -> new ClockState(row.getString(1), row.getLong(2), row.getLong(3)))
        .orElseThrow(() -> new StoreException("keyfleet_store has no row"));
  }
}
