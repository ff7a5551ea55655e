package keyfleet.sqlite;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import keyfleet.store.Bucket;

/// Deletes expired entries, a few keys at each write, in a cycle over all keys. It needs no index,
/// which would slow down every heartbeat.
final class SqliteExpirySweep {
  static final int KEYS_PER_STEP = 16;

  private static final String NEXT =
      "SELECT key FROM keyfleet_entries WHERE bucket = ? AND key > ? ORDER BY key LIMIT ?";
  private static final String DELETE =
      """
      DELETE FROM keyfleet_entries
      WHERE bucket = ? AND key > ? AND key <= ? AND written_at <= ?
      """;

  private final Map<String, String> lastKeys = new ConcurrentHashMap<>();

  void sweepStep(SqliteSession session, Bucket bucket, long expiryLimit) throws SQLException {
    String from = lastKeys.getOrDefault(bucket.name(), "");
    List<String> keys =
        session.rows(NEXT, row -> row.getString(1), bucket.name(), from, KEYS_PER_STEP);
    if (!keys.isEmpty()) {
      session.update(DELETE, bucket.name(), from, keys.getLast(), expiryLimit);
    }
    lastKeys.put(bucket.name(), keys.size() < KEYS_PER_STEP ? "" : keys.getLast());
  }
}
