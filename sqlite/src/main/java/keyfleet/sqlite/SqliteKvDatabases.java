package keyfleet.sqlite;

import java.nio.file.Files;
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

  private final SqliteDatabase stateDatabase;
  private final Path heartbeatPath;

  /// Null if the engine only reads.
  private final @Nullable SqliteWriterQueue heartbeatQueue;

  private final SqliteStoreClock storeClock;
  private @Nullable SqliteDatabase heartbeatDatabase;

  SqliteKvDatabases(
      SqliteDatabase stateDatabase,
      Path heartbeatPath,
      @Nullable SqliteWriterQueue heartbeatQueue,
      SqliteStoreClock storeClock) {
    this.stateDatabase = stateDatabase;
    this.heartbeatPath = heartbeatPath;
    this.heartbeatQueue = heartbeatQueue;
    this.storeClock = storeClock;
  }

  SqliteDatabase stateDatabase() {
    return stateDatabase;
  }

  SqliteStoreClock storeClock() {
    return storeClock;
  }

  SqliteDatabase databaseOf(Bucket bucket) {
    return bucket instanceof Bucket.Lasting ? stateDatabase : heartbeatDatabase();
  }

  /// Whether the bucket can have entries. An engine that only reads creates no file for heartbeats,
  /// and leaves those of another store aside.
  boolean canHaveEntries(Bucket bucket) {
    return bucket instanceof Bucket.Lasting
        || heartbeatQueue != null
        || (Files.exists(heartbeatPath) && heartbeatDatabase().read(this::isOwned));
  }

  private boolean isOwned(SqliteSession session) throws SQLException {
    return isOwnedBy(session, readOwner());
  }

  @Override
  public synchronized void close() {
    if (heartbeatDatabase != null) {
      heartbeatDatabase.close();
    }
  }

  private synchronized SqliteDatabase heartbeatDatabase() {
    if (heartbeatDatabase == null) {
      SqliteWriterQueue queue = heartbeatQueue;
      heartbeatDatabase = queue == null ? openForReading() : openAndAdopt(queue);
    }
    return heartbeatDatabase;
  }

  private SqliteDatabase openForReading() {
    SqliteDatabase opened = SqliteDatabase.openForReading(heartbeatPath);
    requireHeartbeatFile(opened);
    return opened;
  }

  private SqliteDatabase openAndAdopt(SqliteWriterQueue queue) {
    SqlitePaths.createFile(heartbeatPath);
    SqliteDatabase opened = new SqliteDatabase(heartbeatPath, queue, Durability.NORMAL);
    requireHeartbeatFile(opened);
    String owner = readOwner();
    if (!opened.read(session -> isOwnedBy(session, owner))) {
      opened.writeRepeatable(session -> takeOver(session, owner));
    }
    return opened;
  }

  private void requireHeartbeatFile(SqliteDatabase opened) {
    if (SqliteSchema.HEARTBEATS.prepare(opened) != SqliteSchema.Owner.KEYFLEET) {
      throw new StoreRefusedException(
          heartbeatPath + " is not a Keyfleet file, but heartbeats are stored under that name",
          "move that file away");
    }
  }

  private String readOwner() {
    return stateDatabase.read(session -> queryText(session, "SELECT id FROM keyfleet_store"));
  }

  private boolean isOwnedBy(SqliteSession session, String owner) throws SQLException {
    return queryText(session, "SELECT id FROM keyfleet_owner").equals(owner)
        && SqliteChangeLog.lastRevision(session) / REVISIONS_PER_MILLISECOND
            <= storeClock.readLimit();
  }

  /// Deletes the heartbeats of another store. Also deletes heartbeats from the future, which exist
  /// if key state was restored from a copy and would not expire in time. The time limit is read
  /// inside this transaction, because a process raises the limit before it writes a heartbeat.
  private boolean takeOver(SqliteSession session, String owner) throws SQLException {
    boolean own = queryText(session, "SELECT id FROM keyfleet_owner").equals(owner);
    session.update(
        "DELETE FROM keyfleet_entries WHERE written_at > ?",
        own ? storeClock.readLimit() : Long.MIN_VALUE);
    session.update("UPDATE keyfleet_owner SET id = ?", owner);
    return true;
  }

  private static String queryText(SqliteSession session, String sql) throws SQLException {
    return session.row(sql, row -> row.getString(1)).orElse("");
  }
}
