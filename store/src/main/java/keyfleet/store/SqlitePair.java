package keyfleet.store;

import java.nio.file.Path;
import java.sql.SQLException;
import keyfleet.store.SqliteSession.Durability;
import org.jspecify.annotations.Nullable;

/// The two databases of a store: key state, of which nothing acknowledged is lost, and beats, which
/// would be sent again anyway. The second is opened when first needed.
final class SqlitePair implements AutoCloseable {
  /// Revisions of beats follow store time, which is in the key state: they rise even if the power
  /// fails and takes the latest beats with it.
  static final long REVISIONS_PER_MILLISECOND = 1_024;

  private final SqliteFile state;
  private final Path beatsPath;
  private final SqliteQueue beatsQueue;
  private final SqliteTime time;
  private @Nullable SqliteFile beats;

  SqlitePair(SqliteFile state, Path beatsPath, SqliteQueue beatsQueue, SqliteTime time) {
    this.state = state;
    this.beatsPath = beatsPath;
    this.beatsQueue = beatsQueue;
    this.time = time;
  }

  SqliteFile state() {
    return state;
  }

  SqliteTime time() {
    return time;
  }

  SqliteFile of(Bucket bucket) {
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

  private synchronized SqliteFile beats() {
    if (beats == null) {
      SqliteHome.create(beatsPath);
      SqliteFile opened = new SqliteFile(beatsPath, beatsQueue, Durability.NORMAL);
      adopt(opened);
      beats = opened;
    }
    return beats;
  }

  private void adopt(SqliteFile opened) {
    if (SqliteSchema.BEATS.settle(opened) != SqliteSchema.Owner.KEYFLEET) {
      throw new StoreRefusedException(
          beatsPath + " is not Keyfleet's, and heartbeats go there", "move that file away");
    }
    String owner = state.read(session -> text(session, "SELECT id FROM keyfleet_store"));
    if (!opened.read(session -> fits(session, owner))) {
      opened.writeAnew(session -> takeOver(session, owner));
    }
  }

  private boolean fits(SqliteSession session, String owner) throws SQLException {
    return text(session, "SELECT id FROM keyfleet_owner").equals(owner)
        && SqliteLog.last(session) / REVISIONS_PER_MILLISECOND <= time.mark();
  }

  /// Beats of another store are nobody's, and those from the future (key state was restored from a
  /// copy) would not expire in time. The mark is read in this transaction: whoever wrote a beat
  /// before it had set the mark first.
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
