package keyfleet.postgres;

import java.util.List;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import keyfleet.crypto.KekVersion;

/// The statements of [PostgresRecords] on one table. Ids go both ways as text.
final class RecordsSql {
  private final PostgresTable table;

  RecordsSql(PostgresTable table) {
    this.table = table;
  }

  /// Parameters: limit.
  String scan(KekVersion version) {
    return page("", version);
  }

  /// In the order of the id's own index, whatever its collation. Parameters: id, limit.
  String scanOn(KekVersion version) {
    return page("{id} > {given} AND ", version);
  }

  /// Parameters: id.
  String read() {
    return in("SELECT {id}::text, {columns} FROM {table} WHERE {id} = {given}");
  }

  /// Parameters: id, each field.
  String insert() {
    return in(
        "INSERT INTO {table} ({id}, {columns}) VALUES ({given}, "
            + each(_ -> "?", ", ")
            + ") ON CONFLICT ({id}) DO NOTHING");
  }

  /// Parameters: each new field, id, each field as it was.
  String change() {
    return in(
        "UPDATE {table} SET " + each(it -> it + " = ?", ", ") + " WHERE {id} = {given} AND {same}");
  }

  /// All or, if one of them is refused, none. Gives the places in the list, from 1, of those that
  /// were as expected. Parameters, each a list: ids, for each field as it was, each new field.
  String changeAll() {
    List<String> columns = table.columns();
    return in(
        "UPDATE {table} AS t SET "
            + numbered(i -> columns.get(i) + " = n" + i, ", ")
            + " FROM unnest(?::text[]"
            + ", ?::bytea[]".repeat(2 * columns.size())
            + ") WITH ORDINALITY AS c(record, "
            + numbered(i -> "o" + i, ", ")
            + ", "
            + numbered(i -> "n" + i, ", ")
            + ", place) WHERE t.{id} = c.record::"
            + table.idType()
            + " AND "
            + numbered(i -> "t.%s IS NOT DISTINCT FROM o%d".formatted(columns.get(i), i), " AND ")
            + " RETURNING place");
  }

  /// Parameters: id, each field as it was.
  String delete() {
    return in("DELETE FROM {table} WHERE {id} = {given} AND {same}");
  }

  /// One statement sees one snapshot. Groups: the version of each field, whether any is unreadable,
  /// how many.
  String census() {
    List<String> columns = table.columns();
    String groups =
        columns.stream().map(VersionTagSql::of).collect(Collectors.joining(", "))
            + ", "
            + columns.stream().map(VersionTagSql::isUnreadable).collect(Collectors.joining(" OR "));
    String numbers =
        IntStream.rangeClosed(1, columns.size() + 1)
            .mapToObj(Integer::toString)
            .collect(Collectors.joining(", "));
    return in("SELECT " + groups + ", count(*) FROM {table} GROUP BY " + numbers);
  }

  private String page(String after, KekVersion version) {
    return in(
        "SELECT {id}::text, {columns} FROM {table} AS t WHERE "
            + after
            + table.lowest()
            + " = "
            + VersionTagSql.literal(version)
            // By the column itself: the plain name would mean its text, which is selected.
            + " ORDER BY t.{id} LIMIT ?");
  }

  private String in(String sql) {
    return sql.replace("{same}", each(it -> it + " IS NOT DISTINCT FROM ?", " AND "))
        .replace("{given}", "?::" + table.idType())
        .replace("{columns}", String.join(", ", table.columns()))
        .replace("{table}", table.name())
        .replace("{id}", table.id());
  }

  private String numbered(IntFunction<String> column, String between) {
    return IntStream.range(0, table.columns().size())
        .mapToObj(column)
        .collect(Collectors.joining(between));
  }

  private String each(UnaryOperator<String> column, String between) {
    return table.columns().stream().map(column).collect(Collectors.joining(between));
  }
}
