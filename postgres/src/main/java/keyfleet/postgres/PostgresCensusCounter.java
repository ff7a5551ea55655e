package keyfleet.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Census;

/// Adds up the groups that [RecordsSql#census] returns.
final class PostgresCensusCounter {
  private final int fieldCount;
  private final SortedMap<KekVersion, Long> belonging = new TreeMap<>();
  private final SortedMap<KekVersion, Long> carrying = new TreeMap<>();
  private long unreadable;

  PostgresCensusCounter(int fields) {
    this.fieldCount = fields;
  }

  /// Adds a group of equal records: the version of each field, whether a field is unreadable, and
  /// the number of records.
  void addGroup(ResultSet group) throws SQLException {
    long count = group.getLong(fieldCount + 2);
    TreeSet<KekVersion> versions = new TreeSet<>();
    for (int i = 1; i <= fieldCount; i++) {
      byte[] tag = group.getBytes(i);
      if (tag != null) {
        versions.add(VersionTagSql.toVersion(tag));
      }
    }
    unreadable += group.getBoolean(fieldCount + 1) ? count : 0;
    versions.forEach(it -> carrying.merge(it, count, Long::sum));
    if (!versions.isEmpty()) {
      belonging.merge(versions.first(), count, Long::sum);
    }
  }

  Census toCensus() {
    return new Census(belonging, carrying, unreadable);
  }
}
