package keyfleet.sqlite;

import java.sql.SQLException;
import java.util.List;
import keyfleet.store.Key;

/// The latest changes of a database, by revision. It is the source of revisions, and watches of
/// other processes learn of changes from it.
final class SqliteChangeLog {
  /// A reader that is further behind has missed changes.
  static final int MAX_CHANGES = 4_096;

  /// The log is trimmed once in this many writes, so that not every write must delete.
  static final int TRIM_PERIOD = 256;

  private static final String LAST = "SELECT max(revision) FROM keyfleet_changes";
  private static final String FIRST = "SELECT min(revision) FROM keyfleet_changes";
  private static final String APPEND =
      "INSERT INTO keyfleet_changes (revision, bucket, key) VALUES (?, ?, ?)";
  private static final String TRIM =
      """
      DELETE FROM keyfleet_changes WHERE revision <=
        (SELECT revision FROM keyfleet_changes ORDER BY revision DESC LIMIT 1 OFFSET ?)
      """;
  private static final String SINCE =
      """
      SELECT bucket, key, revision FROM keyfleet_changes
      WHERE revision > ? ORDER BY revision LIMIT ?
      """;

  record LoggedChange(String bucket, Key key, long revision) {}

  private SqliteChangeLog() {}

  /// 0 if nothing was ever written.
  static long lastRevision(SqliteSession session) throws SQLException {
    return session.number(LAST);
  }

  static void append(SqliteSession session, LoggedChange change) throws SQLException {
    session.update(APPEND, change.revision(), change.bucket(), change.key().value());
  }

  static void trim(SqliteSession session) throws SQLException {
    session.update(TRIM, MAX_CHANGES);
  }

  /// Whether changes after `revision` may have been trimmed.
  static boolean hasGapAfter(SqliteSession session, long revision) throws SQLException {
    return session.number(FIRST) > revision && lastRevision(session) > revision && revision > 0;
  }

  static List<LoggedChange> changesSince(SqliteSession session, long revision, int limit)
      throws SQLException {
    return session.rows(
        SINCE,
        row -> new LoggedChange(row.getString(1), new Key(row.getString(2)), row.getLong(3)),
        revision,
        limit);
  }
}
