package keyfleet.store;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/// Store time: the machine's boot clock on a line that goes on over reboots. The file holds up to
/// where time may have been told, a minute ahead of it; after a reboot the line continues there.
///
/// Only what is at most `told` is ever said, so that nothing said can be unsaid by a loss of power.
final class SqliteTime {
  /// How far ahead of the clock the mark is set: so often it must be written, and so far time leaps
  /// over a reboot.
  static final Duration AHEAD = Duration.ofMinutes(1);

  /// What is left of it when a write begins: longer than a write may wait.
  private static final Duration SLACK = Duration.ofSeconds(25);

  private static final long MILLISECOND = 1_000_000;
  private static final String READ = "SELECT boot, base, told FROM keyfleet_store";

  /// In `boot`, store time is `base` and the clock's milliseconds.
  private record Line(String boot, long base, long told) {}

  private final SqliteFile state;
  private final BootClock clock;
  private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);
  private volatile Line line;

  private SqliteTime(SqliteFile state, BootClock clock, Line line) {
    this.state = state;
    this.clock = clock;
    this.line = line;
  }

  static SqliteTime of(SqliteFile state, BootClock clock) {
    SqliteTime time = new SqliteTime(state, clock, state.read(SqliteTime::line));
    if (!time.continues(time.line)) {
      time.line = state.writeAnew(time::continued);
    }
    return time;
  }

  /// What is said is what was looked at: the clock goes on meanwhile, past the mark too.
  StoreTime now() {
    long now = reading();
    if (now > line.told()) {
      extend();
    }
    return new StoreTime(now);
  }

  /// Before a write: inside its transaction time cannot be extended.
  void reserve() {
    if (reading() + SLACK.toMillis() > line.told()) {
      extend();
    }
  }

  /// Within a transaction, where the order of times is the order of writes.
  long inside() {
    long now = reading();
    if (now > line.told()) {
      throw new StoreException("the machine slept in the middle of a call to " + state.path());
    }
    return now;
  }

  /// Nothing that any process wrote is later than this.
  long mark() {
    return state.read(SqliteTime::line).told();
  }

  /// Another process may have read a finer clock.
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
    Line found = state.read(SqliteTime::line);
    line = found.told() > reading() + SLACK.toMillis() ? found : state.writeAnew(this::extended);
  }

  private Line extended(SqliteSession session) throws SQLException {
    long told = reading() + AHEAD.toMillis();
    session.change("UPDATE keyfleet_store SET told = max(told, ?)", told);
    return line(session);
  }

  private Line continued(SqliteSession session) throws SQLException {
    Line found = line(session);
    if (!continues(found)) {
      session.change(
          "UPDATE keyfleet_store SET boot = ?, base = ?", clock.bootId(), found.told() - millis());
    }
    return line(session);
  }

  /// In one boot the mark is never much further ahead of the clock; if it is, the clock went back.
  private boolean continues(Line found) {
    return found.boot().equals(clock.bootId())
        && found.base() + millis() >= found.told() - 2 * AHEAD.toMillis();
  }

  private static Line line(SqliteSession session) throws SQLException {
    return session
        .row(READ, row -> new Line(row.getString(1), row.getLong(2), row.getLong(3)))
        .orElseThrow(() -> new StoreException("keyfleet_store has no row"));
  }
}
