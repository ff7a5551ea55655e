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
  private static final Set<String> OWN =
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

  private final SqliteDatabase file;
  private final Scope scope;
  private final Set<String> declared = new HashSet<>();
  private final EnvelopeScanBuilder count = new EnvelopeScanBuilder();

  SqliteEnvelopeScanner(SqliteDatabase file, Scope scope) {
    this.file = file;
    this.scope = scope;
    for (CollectionShape shape : scope.declared()) {
      shape.sealedFields().forEach(it -> declared.add(spot(shape.name(), it)));
    }
  }

  EnvelopeScan take() {
    List<Table> tables =
        file.read(
            session -> session.rows(TABLES, row -> new Table(row.getString(1), row.getString(2))));
    for (Table table : tables) {
      switch (table.type()) {
        case "view" -> count.leave("view " + table.name(), "its rows are those of tables");
        case "virtual" -> count.leave("virtual table " + table.name(), "its rows are computed");
        case "shadow" ->
            count.leave("table " + table.name(), "it stores the data of a virtual table");
        default -> {
          if (OWN.contains(table.name())) {
            count.leave("Keyfleet's own tables", "they hold no records");
          } else {
            scan(table.name());
          }
        }
      }
    }
    count.leave("other files", "a URL names one");
    return count.survey();
  }

  private void scan(String table) {
    file.readTogether(session -> {
      List<String> columns = undeclared(session, table);
      for (String column : holding(session, table, columns)) {
        count(session, table, column);
      }
      return table;
    });
  }

  /// Excludes generated columns: their values come from the other columns.
  private List<String> undeclared(SqliteSession session, String table) throws SQLException {
    return session
        .rows("SELECT name FROM pragma_table_info(?)", row -> row.getString(1), table)
        .stream()
        .filter(it -> !declared.contains(spot(table, it)))
        .toList();
  }

  private List<String> holding(SqliteSession session, String table, List<String> columns)
      throws SQLException {
    String sums =
        columns.stream()
            .map(SqliteVersionTags::quoted)
            .map(it -> ", total(%s OR %s)".formatted(isBytes(it), isText(it)))
            .collect(joining());
    List<String> holding = new ArrayList<>();
    session.row(
        "SELECT count(*)%s FROM (SELECT * FROM %s LIMIT ?)"
            .formatted(sums, SqliteVersionTags.quoted(table)),
        row -> {
          for (int i = 0; i < columns.size(); i++) {
            if (row.getLong(i + 2) > 0) {
              holding.add(columns.get(i));
            }
          }
          return row.getLong(1);
        },
        scope.rows());
    if (scope.isSample() && rows(session, table) > scope.rows()) {
      count.leaveRest(table, scope.rows());
    }
    return holding;
  }

  /// Counts at most one row beyond the sample.
  private long rows(SqliteSession session, String table) throws SQLException {
    return session.number(
        "SELECT count(*) FROM (SELECT 1 FROM %s LIMIT ?)"
            .formatted(SqliteVersionTags.quoted(table)),
        scope.rows() + 1);
  }

  private void count(SqliteSession session, String table, String column) throws SQLException {
    String sql =
        """
        SELECT CASE WHEN %1$s THEN 'BYTES' ELSE 'BASE64' END,
          CASE WHEN %1$s THEN %3$s WHEN length(value) >= %4$d THEN substr(value, 1, %5$d)
            ELSE '' END,
          count(*)
        FROM (SELECT %6$s AS value FROM %7$s LIMIT ?) WHERE %1$s OR %2$s GROUP BY 1, 2
        """
            .formatted(
                isBytes("value"),
                isText("value"),
                SqliteVersionTags.of(SqliteVersionTags.bytes("value")),
                Base64Envelope.LEAST,
                Base64Envelope.HEAD,
                SqliteVersionTags.quoted(column),
                SqliteVersionTags.quoted(table));
    session.rows(
        sql,
        row -> {
          Encoding form = Encoding.valueOf(row.getString(1));
          @Nullable KekVersion version = version(form, row.getString(2)).orElse(null);
          count.found(table, column, form, version, row.getLong(3));
          return form;
        },
        scope.rows());
  }

  private static Optional<KekVersion> version(Encoding form, String tag) {
    return switch (form) {
      case BYTES -> SqliteVersionTags.version(tag);
      case BASE64 -> Base64Envelope.versionOf(tag);
    };
  }

  private static String isBytes(String column) {
    return "(substr(CAST(%s AS BLOB), 1, 4) = x'EB4B4645')".formatted(column);
  }

  private static String isText(String column) {
    return "(typeof(%1$s) = 'text' AND substr(%1$s, 1, %2$d) = '%3$s')"
        .formatted(column, Base64Envelope.PREFIX.length(), Base64Envelope.PREFIX);
  }

  /// SQLite does not distinguish `Orders` from `orders`.
  private static String spot(String table, String column) {
    return (SqliteVersionTags.quoted(table) + SqliteVersionTags.quoted(column))
        .toLowerCase(Locale.ROOT);
  }
}
