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
  /// How far ahead of the clock the limit is set. It is written once in this period, and a reboot
  /// moves store time forward by at most this much.
  static final Duration AHEAD = Duration.ofMinutes(1);

  /// The least distance to the limit when a write begins: longer than a write may wait.
  private static final Duration SLACK = Duration.ofSeconds(25);

  private static final long MILLISECOND = 1_000_000;
  private static final String READ = "SELECT boot, base, told FROM keyfleet_store";

  /// During that boot, store time is the offset plus the clock's milliseconds.
  private record ClockState(String boot, long base, long told) {}

  private final SqliteDatabase state;
  private final BootClock clock;
  private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);
  private volatile ClockState line;

  private SqliteStoreClock(SqliteDatabase state, BootClock clock, ClockState line) {
    this.state = state;
    this.clock = clock;
    this.line = line;
  }

  static SqliteStoreClock of(SqliteDatabase state, BootClock clock) {
    SqliteStoreClock time = new SqliteStoreClock(state, clock, state.read(SqliteStoreClock::line));
    if (!time.continues(time.line)) {
      time.line = state.writeAnew(time::continued);
    }
    return time;
  }

  /// Reports the reading that was checked against the limit: a second reading might already be past
  /// it.
  StoreTime now() {
    long now = reading();
    if (now > line.told()) {
      extend();
    }
    return new StoreTime(now);
  }

  /// Called before a write, because the limit cannot be raised inside its transaction.
  void reserve() {
    if (reading() + SLACK.toMillis() > line.told()) {
      extend();
    }
  }

  /// Called inside a transaction, so that times are in the order of the writes.
  long inside() {
    long now = reading();
    if (now > line.told()) {
      throw new StoreException("the machine was suspended during a write to " + state.path());
    }
    return now;
  }

  /// No process has written a time later than this.
  long mark() {
    return state.read(SqliteStoreClock::line).told();
  }

  /// Another process may have read a finer clock, so time must not fall behind what it wrote.
  void saw(StoreTime time) {
    last.accumulateAndGet(time.millis(), Math::max);
  }

  private long reading() {
    return last.accumulateAndGet(line.base() + millis(), Math::max);
  }

  private long millis() {
    return clock.getAsLong() / MILLISECOND;
  }

  private void extend() {
    ClockState found = state.read(SqliteStoreClock::line);
    line = found.told() > reading() + SLACK.toMillis() ? found : state.writeAnew(this::extended);
  }

  private ClockState extended(SqliteSession session) throws SQLException {
    long told = reading() + AHEAD.toMillis();
    session.change("UPDATE keyfleet_store SET told = max(told, ?)", told);
    return line(session);
  }

  private ClockState continued(SqliteSession session) throws SQLException {
    ClockState found = line(session);
    if (!continues(found)) {
      session.change(
          "UPDATE keyfleet_store SET boot = ?, base = ?", clock.bootId(), found.told() - millis());
    }
    return line(session);
  }

  /// During one boot the limit is never far ahead of the clock; if it is, the clock went back.
  private boolean continues(ClockState found) {
    return found.boot().equals(clock.bootId())
        && found.base() + millis() >= found.told() - 2 * AHEAD.toMillis();
  }

  private static ClockState line(SqliteSession session) throws SQLException {
    return session
        .row(READ, row -> new ClockState(row.getString(1), row.getLong(2), row.getLong(3)))
        .orElseThrow(() -> new StoreException("keyfleet_store has no row"));
  }
}
