package keyfleet.postgres;

import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import keyfleet.crypto.KekVersion;

/// The SQL statements of [PostgresRecords] on one table. Ids are text in both directions.
final class RecordsSql {
  private final PostgresTable table;

  RecordsSql(PostgresTable table) {
    this.table = table;
  }

  /// Parameters: limit.
  String scanMismatched() {
    return page(table.mismatchCondition());
  }

  /// Parameters: id, limit.
  String scanMismatchedAfter() {
    return page("{id} > {given} AND " + table.mismatchCondition());
  }

  /// Parameters: limit.
  String scan(KekVersion version) {
    return page("", version);
  }

  /// In the order of the id's index, with any collation. Parameters: id, limit.
  String scanAfter(KekVersion version) {
    return page("{id} > {given} AND ", version);
  }

  /// Parameters: id.
  String read() {
    return expand("SELECT {id}::text, {columns} FROM {table} WHERE {id} = {given}");
  }

  /// Parameters: id, each field, the version field.
  String insert() {
    return expand(
        "INSERT INTO {table} ({id}, {columns}"
            + table.versionColumn().map(it -> ", " + it).orElse("")
            + ") VALUES ({given}, "
            + eachColumn(_ -> "?", ", ")
            + table.versionColumn().map(_ -> ", ?::integer").orElse("")
            + ") ON CONFLICT ({id}) DO NOTHING");
  }

  /// Parameters: each new field, the version field, id, each field as it was.
  String compareAndSet() {
    return expand(
        "UPDATE {table} SET "
            + eachColumn(it -> it + " = ?", ", ")
            + table.versionColumn().map(it -> ", " + it + " = ?::integer").orElse("")
            + " WHERE {id} = {given} AND {same}");
  }

  /// Changes all records or, if the server refuses one, none. Returns the positions in the list,
  /// from 1, of the records that were as expected. Parameters, each a list: ids, for each field its
  /// old values, for each field its new values, the version fields.
  String compareAndSetAll() {
    List<String> columns = table.columns();
    return expand(
        "UPDATE {table} AS t SET "
            + eachIndex(i -> columns.get(i) + " = n" + i, ", ")
            + table.versionColumn().map(it -> ", " + it + " = c.lowest").orElse("")
            + " FROM unnest(?::text[]"
            + ", ?::bytea[]".repeat(2 * columns.size())
            + table.versionColumn().map(_ -> ", ?::integer[]").orElse("")
            + ") WITH ORDINALITY AS c(record, "
            + eachIndex(i -> "o" + i, ", ")
            + ", "
            + eachIndex(i -> "n" + i, ", ")
            + table.versionColumn().map(_ -> ", lowest").orElse("")
            + ", ordinal) WHERE t.{id} = c.record::"
            + table.idType()
            + " AND "
            + eachIndex(i -> "t.%s IS NOT DISTINCT FROM o%d".formatted(columns.get(i), i), " AND ")
            + " RETURNING ordinal");
  }

  /// Parameters: id, each field as it was.
  String delete() {
    return expand("DELETE FROM {table} WHERE {id} = {given} AND {same}");
  }

  /// One statement, so one snapshot. Columns: the version of each field, whether a field is
  /// unreadable, whether the version field is another, number of records.
  String census() {
    List<String> columns = table.columns();
    String groups =
        columns.stream().map(VersionTagSql::tagOf).collect(Collectors.joining(", "))
            + ", "
            + columns.stream()
                .map(VersionTagSql::unreadableCondition)
                .collect(Collectors.joining(" OR "))
            + ", "
            + table.mismatchCondition();
    String numbers =
        IntStream.rangeClosed(1, columns.size() + 2)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(", "));
    return expand("SELECT " + groups + ", count(*) FROM {table} GROUP BY " + numbers);
  }

  private String page(String after, KekVersion version) {
    return page(after + table.lowestVersion() + " = " + VersionTagSql.literal(version));
  }

  private String page(String condition) {
    return expand(
        "SELECT {id}::text, {columns} FROM {table} AS t WHERE "
            + condition
            // Qualified: the plain name would mean the selected text of the id.
            + " ORDER BY t.{id} LIMIT ?");
  }

  private String expand(String sql) {
    return sql.replace("{same}", eachColumn(it -> it + " IS NOT DISTINCT FROM ?", " AND "))
        .replace("{given}", "?::" + table.idType())
        .replace("{columns}", String.join(", ", table.columns()))
        .replace("{table}", table.qualifiedName())
        .replace("{id}", table.quotedId());
  }

  private String eachIndex(IntFunction<String> column, String separator) {
    return IntStream.range(0, table.columns().size())
        .mapToObj(column)
        .collect(Collectors.joining(separator));
  }

  private String eachColumn(UnaryOperator<String> column, String separator) {
    return table.columns().stream().map(column).collect(Collectors.joining(separator));
  }
}
