package keyfleet.sqlite;

import java.sql.SQLException;
import java.util.List;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;

/// The tables of a store's files, and the owner of a file. The file header identifies both:
/// `application_id` is the owner, `user_version` the version of the tables.
enum SqliteSchema {
  /// `X.db`: key state. Store time begins at the current date, so that a recreated store does not
  /// repeat times that an older one reported.
  KEY_STATE(
      0x4B464C54,
      List.of(
          """
          CREATE TABLE keyfleet_store (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            id TEXT NOT NULL, boot TEXT NOT NULL, base INTEGER NOT NULL, told INTEGER NOT NULL)
          """,
          """
          INSERT INTO keyfleet_store VALUES (
            1, lower(hex(randomblob(16))), '', 0, CAST(unixepoch('subsec') * 1000 AS INTEGER))
          """,
          "CREATE TABLE keyfleet_buckets (name TEXT PRIMARY KEY, lifetime TEXT) WITHOUT ROWID",
          Tables.ENTRIES,
          Tables.CHANGES)),

  /// `X-beats.db`: expiring entries. It belongs to the store whose id it contains.
  HEARTBEATS(
      0x4B464254,
      List.of(
          "CREATE TABLE keyfleet_owner (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL)",
          "INSERT INTO keyfleet_owner VALUES (1, '')",
          Tables.ENTRIES,
          Tables.CHANGES));

  static final int VERSION = 1;

  enum Owner {
    KEYFLEET,
    APPLICATION,
    NONE
  }

  /// Tables that both files have.
  private static final class Tables {
    static final String ENTRIES =
        """
        CREATE TABLE keyfleet_entries (
          bucket TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
          revision INTEGER NOT NULL, written_at INTEGER NOT NULL,
          PRIMARY KEY (bucket, key)) WITHOUT ROWID
        """;

    static final String CHANGES =
        """
        CREATE TABLE keyfleet_changes (
          revision INTEGER PRIMARY KEY, bucket TEXT NOT NULL, key TEXT NOT NULL)
        """;
  }

  private final int applicationId;

  @SuppressWarnings("ImmutableEnumChecker") // made by List.of
  private final List<String> tables;

  SqliteSchema(int applicationId, List<String> tables) {
    this.applicationId = applicationId;
    this.tables = tables;
  }

  /// Finds the owner of the file, and creates Keyfleet's tables in an empty one, unless the
  /// database is only read.
  Owner prepare(SqliteDatabase database) {
    Owner owner = database.readSnapshot(session -> readOwner(session, database));
    if (database.isForReading()) {
      if (owner == Owner.NONE) {
        throw StoreRefusedException.noStore(database.path().toString());
      }
      return owner;
    }
    if (owner == Owner.APPLICATION) {
      return owner;
    }
    if (!database.read(SqliteSchema::isWalMode)) {
      database.runAlone(session -> switchToWalMode(session, database));
    }
    if (owner == Owner.NONE) {
      return database
          .write(session -> createTables(session, database))
          .orElseThrow(() ->
              new StoreException("it is unknown whether " + database.path() + " was created"));
    }
    return owner;
  }

  private Owner readOwner(SqliteSession session, SqliteDatabase database) throws SQLException {
    long found = session.number("PRAGMA application_id");
    long version = session.number("PRAGMA user_version");
    if (found == applicationId) {
      checkVersion(version, database);
      return Owner.KEYFLEET;
    }
    boolean empty =
        found == 0 && version == 0 && session.number("SELECT count(*) FROM sqlite_schema") == 0;
    return empty ? Owner.NONE : Owner.APPLICATION;
  }

  private static void checkVersion(long version, SqliteDatabase database) {
    if (version != VERSION) {
      throw new StoreRefusedException(
          "%s has tables of version %d, this Keyfleet supports version %d"
              .formatted(database.path(), version, VERSION),
          version > VERSION ? "a newer Keyfleet" : "the Keyfleet version that created it");
    }
  }

  /// Another process may have created the tables first.
  private Owner createTables(SqliteSession session, SqliteDatabase database) throws SQLException {
    if (readOwner(session, database) == Owner.NONE) {
      for (String table : tables) {
        session.runOnce(table);
      }
      session.runOnce("PRAGMA application_id=" + applicationId);
      session.runOnce("PRAGMA user_version=" + VERSION);
    }
    return readOwner(session, database);
  }

  static boolean isWalMode(SqliteSession session) throws SQLException {
    return "wal".equals(queryJournalMode(session, "PRAGMA journal_mode"));
  }

  private static boolean switchToWalMode(SqliteSession session, SqliteDatabase database)
      throws SQLException {
    String mode = queryJournalMode(session, "PRAGMA journal_mode=WAL");
    if (!mode.equals("wal")) {
      throw new StoreException(
          "%s stays in journal mode %s while other processes read it"
              .formatted(database.path(), mode));
    }
    return true;
  }

  private static String queryJournalMode(SqliteSession session, String pragma) throws SQLException {
    return session.row(pragma, row -> row.getString(1)).orElse("unknown");
  }
}
