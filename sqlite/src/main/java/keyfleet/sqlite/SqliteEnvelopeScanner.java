package keyfleet.sqlite;

import static java.util.stream.Collectors.joining;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.store.CollectionShape;
import keyfleet.store.engine.Base64Envelope;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.EnvelopeScan.Encoding;
import keyfleet.store.engine.EnvelopeScan.Scope;
import keyfleet.store.engine.EnvelopeScanBuilder;
import org.jspecify.annotations.Nullable;

/// Scans every table of a file for envelopes. A SQLite column can contain any kind of value,
/// whatever its declared type, so all columns are read: one pass over a table finds the columns
/// with envelopes, and only those are counted by version.
final class SqliteEnvelopeScanner {
  private static final Set<String> OWN_TABLES =
      Set.of(
          "keyfleet_store",
          "keyfleet_owner",
          "keyfleet_buckets",
          "keyfleet_entries",
          "keyfleet_changes",
          "keyfleet_fences");

  private static final String TABLES =
      """
      SELECT name, type FROM pragma_table_list
      WHERE schema = 'main' AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name
      """;

  private record Table(String name, String type) {}

  private final SqliteDatabase database;
  private final Scope scope;
  private final Set<String> declared = new HashSet<>();
  private final EnvelopeScanBuilder result = new EnvelopeScanBuilder();

  SqliteEnvelopeScanner(SqliteDatabase database, Scope scope) {
    this.database = database;
    this.scope = scope;
    for (CollectionShape shape : scope.declared()) {
      shape.sealedFields().forEach(it -> declared.add(fieldKey(shape.name(), it)));
    }
  }

  EnvelopeScan scan() {
    List<Table> tables =
        database.read(
            session -> session.rows(TABLES, row -> new Table(row.getString(1), row.getString(2))));
    for (Table table : tables) {
      switch (table.type()) {
        case "view" -> result.skip("view " + table.name(), "its rows come from tables");
        case "virtual" -> result.skip("virtual table " + table.name(), "its rows are computed");
        case "shadow" ->
            result.skip("table " + table.name(), "it stores the data of a virtual table");
        default -> {
          if (OWN_TABLES.contains(table.name())) {
            result.skip("Keyfleet's own tables", "they contain no records");
          } else {
            scanTable(table.name());
          }
        }
      }
    }
    result.skip("other files", "not named by the URL");
    return result.build();
  }

  private void scanTable(String table) {
    database.readSnapshot(session -> {
      List<String> columns = undeclaredColumns(session, table);
      for (String column : columnsWithEnvelopes(session, table, columns)) {
        countEnvelopes(session, table, column);
      }
      return table;
    });
  }

  /// Excludes generated columns: their values come from the other columns.
  private List<String> undeclaredColumns(SqliteSession session, String table) throws SQLException {
    return session
        .rows("SELECT name FROM pragma_table_info(?)", row -> row.getString(1), table)
        .stream()
        .filter(it -> !declared.contains(fieldKey(table, it)))
        .toList();
  }

  private List<String> columnsWithEnvelopes(
      SqliteSession session, String table, List<String> columns) throws SQLException {
    String sums =
        columns.stream()
            .map(SqliteVersionTags::quote)
            .map(it -> ", total(%s OR %s)".formatted(isBytesSql(it), isBase64Sql(it)))
            .collect(joining());
    List<String> found = new ArrayList<>();
    session.row(
        "SELECT count(*)%s FROM (SELECT * FROM %s LIMIT ?)"
            .formatted(sums, SqliteVersionTags.quote(table)),
        row -> {
          for (int i = 0; i < columns.size(); i++) {
            if (row.getLong(i + 2) > 0) {
              found.add(columns.get(i));
            }
          }
          return row.getLong(1);
        },
        scope.maxRows());
    if (scope.isSample() && countRows(session, table) > scope.maxRows()) {
      result.skipRest(table, scope.maxRows());
    }
    return found;
  }

  /// Counts at most one row beyond the sample.
  private long countRows(SqliteSession session, String table) throws SQLException {
    return session.number(
        "SELECT count(*) FROM (SELECT 1 FROM %s LIMIT ?)".formatted(SqliteVersionTags.quote(table)),
        scope.maxRows() + 1);
  }

  private void countEnvelopes(SqliteSession session, String table, String column)
      throws SQLException {
    String sql =
        """
        SELECT CASE WHEN %1$s THEN 'BYTES' ELSE 'BASE64' END,
          CASE WHEN %1$s THEN %3$s WHEN length(value) >= %4$d THEN substr(value, 1, %5$d)
            ELSE '' END,
          count(*)
        FROM (SELECT %6$s AS value FROM %7$s LIMIT ?) WHERE %1$s OR %2$s GROUP BY 1, 2
        """
            .formatted(
                isBytesSql("value"),
                isBase64Sql("value"),
                SqliteVersionTags.tagSql(SqliteVersionTags.bytesSql("value")),
                Base64Envelope.MIN_LENGTH,
                Base64Envelope.HEADER_LENGTH,
                SqliteVersionTags.quote(column),
                SqliteVersionTags.quote(table));
    session.rows(
        sql,
        row -> {
          Encoding encoding = Encoding.valueOf(row.getString(1));
          @Nullable KekVersion version = version(encoding, row.getString(2)).orElse(null);
          result.addEnvelopes(table, column, encoding, version, row.getLong(3));
          return encoding;
        },
        scope.maxRows());
  }

  private static Optional<KekVersion> version(Encoding encoding, String tag) {
    return switch (encoding) {
      case BYTES -> SqliteVersionTags.toVersion(tag);
      case BASE64 -> Base64Envelope.versionOfHeader(tag);
    };
  }

  private static String isBytesSql(String column) {
    return "(substr(CAST(%s AS BLOB), 1, 4) = x'EB4B4645')".formatted(column);
  }

  private static String isBase64Sql(String column) {
    return "(typeof(%1$s) = 'text' AND substr(%1$s, 1, %2$d) = '%3$s')"
        .formatted(column, Base64Envelope.PREFIX.length(), Base64Envelope.PREFIX);
  }

  /// SQLite does not distinguish `Orders` from `orders`.
  private static String fieldKey(String table, String column) {
    return (SqliteVersionTags.quote(table) + SqliteVersionTags.quote(column))
        .toLowerCase(Locale.ROOT);
  }
}
