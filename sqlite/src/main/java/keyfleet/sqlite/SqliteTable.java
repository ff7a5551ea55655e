package keyfleet.sqlite;

import static java.util.stream.Collectors.joining;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import keyfleet.store.CollectionShape;
import keyfleet.store.RecordId;
import keyfleet.store.StoreRefusedException;
import org.jspecify.annotations.Nullable;

/// An application's table, checked against its shape, and the SQL statements for it.
record SqliteTable(CollectionShape shape) {
  /// Checks that the table exists with the right columns and types.
  static SqliteTable open(SqliteDatabase database, CollectionShape shape) {
    SqliteTable table = new SqliteTable(shape);
    database.read(session -> table.check(session, database));
    return table;
  }

  /// An existing table stays as it is, except that it gains the version field if it lacks one.
  static void create(SqliteDatabase database, CollectionShape shape) {
    SqliteTable table = new SqliteTable(shape);
    if (!database.read(table::missingPartsSql).isEmpty()) {
      database.writeRepeatable(session -> {
        // Read again, because another process may have been faster.
        for (String sql : table.missingPartsSql(session)) {
          session.runOnce(sql);
        }
        return true;
      });
    }
  }

  private List<String> missingPartsSql(SqliteSession session) throws SQLException {
    String kind = queryKind(session);
    if (kind.isEmpty()) {
      return Stream.concat(Stream.of(createSql()), versionIndexSql().stream()).toList();
    }
    Optional<String> field = shape.versionField();
    return kind.equals("table")
            && field.isPresent()
            && !queryColumnTypes(session).containsKey(lower(field.get()))
        ? Stream.concat(Stream.of(addColumnSql(field.get(), "INTEGER")), versionIndexSql().stream())
            .toList()
        : List.of();
  }

  private String createSql() {
    return "CREATE TABLE %s (%s TEXT NOT NULL PRIMARY KEY%s%s)"
        .formatted(
            name(),
            id(),
            fields().map(it -> ", " + SqliteVersionTags.quote(it) + " BLOB").collect(joining()),
            versionColumn().map(it -> ", " + it + " INTEGER").orElse(""));
  }

  private Optional<String> versionIndexSql() {
    return shape
        .versionField()
        .map(it ->
            "CREATE INDEX IF NOT EXISTS %s ON %s (%s)"
                .formatted(
                    SqliteVersionTags.quote(shape.name() + "_" + it),
                    name(),
                    SqliteVersionTags.quote(it)));
  }

  private String addColumnSql(String column, String type) {
    return "ALTER TABLE %s ADD COLUMN %s %s"
        .formatted(name(), SqliteVersionTags.quote(column), type);
  }

  String scanSql() {
    return scanSql("");
  }

  String scanAfterSql() {
    return scanSql("AND %s COLLATE BINARY > ?".formatted(id()));
  }

  String scanMismatchedSql() {
    return scanMismatchedSql("");
  }

  String scanMismatchedAfterSql() {
    return scanMismatchedSql("AND %s COLLATE BINARY > ?".formatted(id()));
  }

  String readSql() {
    return "SELECT %s FROM %s WHERE %s".formatted(columnsSql(), name(), byIdSql());
  }

  String insertSql() {
    String columns = writtenColumns().map(it -> ", " + it).collect(joining());
    String values = ", ?".repeat((int) writtenColumns().count());
    return "INSERT INTO %s (%s%s) VALUES (?%s)".formatted(name(), id(), columns, values);
  }

  String compareAndSetSql() {
    String set = writtenColumns().map(it -> it + " = ?").collect(joining(", "));
    return "UPDATE %s SET %s WHERE %s".formatted(name(), set, asExpectedSql());
  }

  String deleteSql() {
    return "DELETE FROM %s WHERE %s".formatted(name(), asExpectedSql());
  }

  /// Counts the records with each combination of tags, and whether the version field differs: few
  /// rows, from one snapshot. `LIMIT -1` is no limit, but it stops SQLite from merging the two
  /// queries, which would sort whole records instead of tags.
  String censusSql() {
    String tags =
        fields()
            .map(it ->
                SqliteVersionTags.tagSql(SqliteVersionTags.bytesSql(SqliteVersionTags.quote(it))))
            .collect(joining(", "));
    String groups =
        IntStream.rangeClosed(2, shape.sealedFields().size() + 2)
            .mapToObj(String::valueOf)
            .collect(joining(", "));
    return "SELECT count(*), * FROM (SELECT %s, %s FROM %s LIMIT -1) GROUP BY %s"
        .formatted(tags, mismatchSql(), name(), groups);
  }

  private String scanMismatchedSql(String after) {
    return "SELECT %s FROM %s WHERE %s %s ORDER BY %s COLLATE BINARY LIMIT ?"
        .formatted(columnsSql(), name(), mismatchSql(), after, id());
  }

  /// SQL that is true if the version field is not the lowest version of the record.
  private String mismatchSql() {
    return versionColumn()
        .map(it ->
            """
            CASE WHEN %1$s IS NULL THEN %2$s
              WHEN typeof(%1$s) = 'integer' THEN printf('%%08X', %1$s) ELSE '' END IS NOT %3$s\
            """
                .formatted(it, SqliteVersionTags.NONE, lowestTagSql()))
        .orElse("0");
  }

  private String lowestTagSql() {
    return SqliteVersionTags.lowestTagSql(
        fields().map(SqliteVersionTags::quote).collect(Collectors.toCollection(TreeSet::new)));
  }

  private Optional<String> versionColumn() {
    return shape.versionField().map(SqliteVersionTags::quote);
  }

  /// The sealed columns, then the version field.
  private Stream<String> writtenColumns() {
    return Stream.concat(fields().map(SqliteVersionTags::quote), versionColumn().stream());
  }

  private String scanSql(String after) {
    return "SELECT %s FROM %s WHERE %s = ? %s ORDER BY %s COLLATE BINARY LIMIT ?"
        .formatted(columnsSql(), name(), lowestTagSql(), after, id());
  }

  /// The id if it can be a [RecordId], then the fields.
  private String columnsSql() {
    String id =
        """
        CASE WHEN typeof(%1$s) = 'text' AND length(CAST(%1$s AS BLOB)) BETWEEN 1 AND %2$d
        THEN %1$s END\
        """
            .formatted(id(), RecordId.MAX_BYTES);
    return fields()
        .map(it -> ", " + SqliteVersionTags.bytesSql(SqliteVersionTags.quote(it)))
        .collect(joining("", id, ""));
  }

  private String asExpectedSql() {
    return fields()
        .map(it -> " AND " + SqliteVersionTags.bytesSql(SqliteVersionTags.quote(it)) + " IS ?")
        .collect(joining("", byIdSql(), ""));
  }

  private String byIdSql() {
    return id() + " COLLATE BINARY = ?";
  }

  private String name() {
    return SqliteVersionTags.quote(shape.name());
  }

  private String id() {
    return SqliteVersionTags.quote(shape.idField());
  }

  private Stream<String> fields() {
    return shape.sealedFields().stream();
  }

  private boolean check(SqliteSession session, SqliteDatabase database) throws SQLException {
    String kind = queryKind(session);
    String missing = "%s has no table %s".formatted(database.path(), shape.name());
    if (kind.isEmpty()) {
      throw StoreRefusedException.noCollection(missing, "create it, or name another file");
    }
    if (!kind.equals("table")) {
      throw refused(missing, "name a table, this is a " + kind);
    }
    Map<String, String> types = queryColumnTypes(session);
    checkType(types, shape.idField(), "TEXT", type -> type.matches(".*(TEXT|CHAR|CLOB).*"));
    for (String field : shape.sealedFields()) {
      checkType(types, field, "BLOB", type -> type.isEmpty() || type.contains("BLOB"));
    }
    shape
        .versionField()
        .ifPresent(it -> checkType(types, it, "INTEGER", type -> type.contains("INT")));
    checkUnique(session);
    return true;
  }

  /// `table`, `view`, `virtual`, or empty if there is none.
  private String queryKind(SqliteSession session) throws SQLException {
    return session
        .row(
            """
            SELECT type FROM pragma_table_list
            WHERE schema = 'main' AND name = ? COLLATE NOCASE
            """,
            row -> row.getString(1),
            shape.name())
        .orElse("");
  }

  /// Excludes generated columns.
  private Map<String, String> queryColumnTypes(SqliteSession session) throws SQLException {
    Map<String, String> types = new HashMap<>();
    session.rows(
        "SELECT name, upper(type) FROM pragma_table_info(?)",
        row -> types.put(lower(row.getString(1)), row.getString(2)),
        shape.name());
    return types;
  }

  private void checkType(
      Map<String, String> types, String column, String wanted, Predicate<String> fits) {
    @Nullable String type = types.get(lower(column));
    if (type == null) {
      throw refused(
          "table %s has no column %s".formatted(shape.name(), column),
          addColumnSql(column, wanted));
    }
    if (!fits.test(type)) {
      throw refused(
          "column %s of table %s is %s, not %s".formatted(column, shape.name(), type, wanted),
          "name another column, or recreate the table with that type");
    }
  }

  private void checkUnique(SqliteSession session) throws SQLException {
    List<String> unique =
        session.rows(
            """
            SELECT i.name FROM pragma_index_list(?) AS i
            WHERE i."unique" = 1 AND i.partial = 0
              AND (SELECT group_concat(lower(x.name) || ' ' || x.coll, ',')
                FROM pragma_index_xinfo(i.name) AS x WHERE x.key = 1) = ?
            """,
            row -> row.getString(1),
            shape.name(),
            lower(shape.idField()) + " BINARY");
    if (unique.isEmpty()) {
      throw refused(
          "two records of table %s could have one %s".formatted(shape.name(), shape.idField()),
          "CREATE UNIQUE INDEX %s ON %s (%s COLLATE BINARY)"
              .formatted(SqliteVersionTags.quote(shape.name() + "_id"), name(), id()));
    }
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static StoreRefusedException refused(String sentence, String remedy) {
    return new StoreRefusedException(sentence, remedy);
  }
}
