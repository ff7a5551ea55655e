package keyfleet.sqlite;

import java.nio.file.Path;
import java.sql.SQLException;
import keyfleet.sqlite.SqliteSession.Durability;
import keyfleet.store.Bucket;
import keyfleet.store.StoreRefusedException;
import org.jspecify.annotations.Nullable;

/// The two databases of a store: key state, which never loses an acknowledged write, and
/// heartbeats, which are sent again anyway. The second is opened when it is first needed.
final class SqliteKvDatabases implements AutoCloseable {
  /// Revisions of heartbeats follow store time, which the key state stores: they rise even if a
  /// power failure loses the latest heartbeats.
  static final long REVISIONS_PER_MILLISECOND = 1_024;

  private final SqliteDatabase state;
  private final Path beatsPath;
  private final SqliteWriterQueue beatsQueue;
  private final SqliteStoreClock time;
  private @Nullable SqliteDatabase beats;

  SqliteKvDatabases(
      SqliteDatabase state, Path beatsPath, SqliteWriterQueue beatsQueue, SqliteStoreClock time) {
    this.state = state;
    this.beatsPath = beatsPath;
    this.beatsQueue = beatsQueue;
    this.time = time;
  }

  SqliteDatabase state() {
    return state;
  }

  SqliteStoreClock time() {
    return time;
  }

  SqliteDatabase of(Bucket bucket) {
    return switch (bucket) {
      case Bucket.Lasting _ -> state;
      case Bucket.Expiring _ -> beats();
    };
  }

  @Override
  public synchronized void close() {
    if (beats != null) {
      beats.close();
    }
  }

  private synchronized SqliteDatabase beats() {
    if (beats == null) {
      SqlitePaths.create(beatsPath);
      SqliteDatabase opened = new SqliteDatabase(beatsPath, beatsQueue, Durability.NORMAL);
      adopt(opened);
      beats = opened;
    }
    return beats;
  }

  private void adopt(SqliteDatabase opened) {
    if (SqliteSchema.BEATS.settle(opened) != SqliteSchema.Owner.KEYFLEET) {
      throw new StoreRefusedException(
          beatsPath + " is not a Keyfleet file, but heartbeats are stored under that name",
          "move that file away");
    }
    String owner = state.read(session -> text(session, "SELECT id FROM keyfleet_store"));
    if (!opened.read(session -> fits(session, owner))) {
      opened.writeAnew(session -> takeOver(session, owner));
    }
  }

  private boolean fits(SqliteSession session, String owner) throws SQLException {
    return text(session, "SELECT id FROM keyfleet_owner").equals(owner)
        && SqliteChangeLog.last(session) / REVISIONS_PER_MILLISECOND <= time.mark();
  }

  /// Deletes the heartbeats of another store, and those from the future, which would not expire in
  /// time (they exist if key state was restored from a copy). The time limit is read inside this
  /// transaction: every process that wrote a heartbeat before had raised the limit first.
  private boolean takeOver(SqliteSession session, String owner) throws SQLException {
    boolean own = text(session, "SELECT id FROM keyfleet_owner").equals(owner);
    session.change(
        "DELETE FROM keyfleet_entries WHERE written_at > ?", own ? time.mark() : Long.MIN_VALUE);
    session.change("UPDATE keyfleet_owner SET id = ?", owner);
    return true;
  }

  private static String text(SqliteSession session, String sql) throws SQLException {
    return session.row(sql, row -> row.getString(1)).orElse("");
  }
}
