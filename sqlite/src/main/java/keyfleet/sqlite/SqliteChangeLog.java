package keyfleet.sqlite;

import java.sql.SQLException;
import java.util.List;
import keyfleet.store.Key;

/// The latest changes of a database, by revision. It is the source of revisions, and watches of
/// other processes learn of changes from it.
final class SqliteChangeLog {
  /// A reader that is further behind has missed changes.
  static final int KEPT = 4_096;

  /// The log is trimmed once in this many writes, so that not every write must delete.
  static final int SPARE = 256;

  private static final String LAST = "SELECT max(revision) FROM keyfleet_changes";
  private static final String FIRST = "SELECT min(revision) FROM keyfleet_changes";
  private static final String APPEND =
      "INSERT INTO keyfleet_changes (revision, bucket, key) VALUES (?, ?, ?)";
  private static final String FORGET =
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
  static long last(SqliteSession session) throws SQLException {
    return session.number(LAST);
  }

  static void append(SqliteSession session, LoggedChange change) throws SQLException {
    session.change(APPEND, change.revision(), change.bucket(), change.key().value());
  }

  static void forget(SqliteSession session) throws SQLException {
    session.change(FORGET, KEPT);
  }

  /// Whether changes after `revision` may have been trimmed.
  static boolean hasGap(SqliteSession session, long revision) throws SQLException {
    return session.number(FIRST) > revision && last(session) > revision && revision > 0;
  }

  static List<LoggedChange> since(SqliteSession session, long revision, int limit)
      throws SQLException {
    return session.rows(
        SINCE,
        row -> new LoggedChange(row.getString(1), new Key(row.getString(2)), row.getLong(3)),
        revision,
        limit);
  }
}
