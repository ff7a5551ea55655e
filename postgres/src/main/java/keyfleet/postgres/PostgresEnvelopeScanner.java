package keyfleet.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.postgres.EnvelopeScanSql.Column;
import keyfleet.store.CollectionShape;
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.EnvelopeScan.Encoding;
import keyfleet.store.engine.EnvelopeScan.Scope;
import keyfleet.store.engine.EnvelopeScanBuilder;
import org.jspecify.annotations.Nullable;

/// Looks for envelopes in every table of a database. One pass over a table finds the columns with
/// envelopes; only these are counted by version. A partition is read separately and counts as its
/// partitioned table.
final class PostgresEnvelopeScanner {
  /// A relation of the catalogue. `name` is its name for an application. `declarableOids` are the
  /// oids under which it can be declared: its own and those of its partitioned tables.
  private record Relation(
      long oid, String kind, String sqlName, String name, Set<Long> declarableOids) {}

  private final PostgresPool pool;
  private final String ownSchema;
  private final Scope scope;
  private final EnvelopeScanBuilder result = new EnvelopeScanBuilder();

  PostgresEnvelopeScanner(PostgresPool pool, String ownSchema, Scope scope) {
    this.pool = pool;
    this.ownSchema = ownSchema;
    this.scope = scope;
  }

  EnvelopeScan scan() {
    Map<Long, Set<String>> declared = pool.read("find declared tables", this::findDeclaredFields);
    for (Relation relation : pool.read("list tables", this::listRelations)) {
      switch (relation.kind()) {
        case "v" -> result.skip("view " + relation.name(), "its rows come from tables");
        case "m" ->
            result.skip(
                "materialized view " + relation.name(), "its rows are copies of table rows");
        case "f" ->
            result.skip("foreign table " + relation.name(), "its rows are on another server");
        default -> scanTable(relation, declared);
      }
    }
    if (pool.read("look for large objects", connection -> hasLargeObjects(connection))) {
      result.skip("large objects", "only table columns are scanned");
    }
    result.skip("Keyfleet's own schema " + ownSchema, "its tables contain no records");
    result.skip(
        "system schemas and temporary tables", "they belong to the server and its sessions");
    result.skip("other databases of this server", "not named by the URL");
    return result.build();
  }

  /// Looks names up on the search path, as the engine does for records.
  private Map<Long, Set<String>> findDeclaredFields(Connection connection) throws SQLException {
    Map<Long, Set<String>> fields = new TreeMap<>();
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT coalesce(to_regclass(?)::oid::bigint, 0)")) {
      for (CollectionShape shape : scope.declared()) {
        statement.setString(1, PostgresTable.quote(shape.name()));
        try (ResultSet found = statement.executeQuery()) {
          if (found.next()) {
            fields.put(found.getLong(1), shape.sealedFields());
          }
        }
      }
    }
    return fields;
  }

  private List<Relation> listRelations(Connection connection) throws SQLException {
    List<Relation> relations = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(EnvelopeScanSql.RELATIONS)) {
      statement.setString(1, ownSchema);
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          String sqlName =
              PostgresTable.quote(found.getString(3))
                  + "."
                  + PostgresTable.quote(found.getString(4));
          Long[] oids = (Long[]) found.getArray(6).getArray();
          relations.add(
              new Relation(
                  found.getLong(1), found.getString(2), sqlName, found.getString(5), Set.of(oids)));
        }
      }
    }
    return relations;
  }

  private static boolean hasLargeObjects(Connection connection) throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement("SELECT EXISTS (SELECT FROM pg_largeobject_metadata)");
        ResultSet found = statement.executeQuery()) {
      return found.next() && found.getBoolean(1);
    }
  }

  /// An unreadable table does not stop the scan; a lost server does.
  private void scanTable(Relation table, Map<Long, Set<String>> declared) {
    try {
      pool.readLong(
          "scan " + table.sqlName(),
          connection -> {
            List<Column> columns = listColumns(connection, table, declared);
            for (Column column : findColumnsWithEnvelopes(connection, table, columns)) {
              countVersions(connection, table, column);
            }
            return table;
          });
    } catch (StoreException e) {
      if (!isTableFailure(e)) {
        throw e;
      }
      result.addFailure("table " + table.name(), e.getMessage());
    }
  }

  private static boolean isTableFailure(StoreException e) {
    return e instanceof StoreRefusedException
        || (e.getCause() instanceof SQLException cause
            && PostgresErrorKind.of(cause) == PostgresErrorKind.REFUSED);
  }

  private List<Column> listColumns(
      Connection connection, Relation table, Map<Long, Set<String>> declared) throws SQLException {
    List<Column> columns = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(EnvelopeScanSql.COLUMNS)) {
      statement.setLong(1, table.oid());
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          String name = found.getString(1);
          String type = found.getString(3);
          boolean isDeclared =
              table.declarableOids().stream()
                  .anyMatch(it -> declared.getOrDefault(it, Set.of()).contains(name));
          switch (isDeclared ? "none" : found.getString(2)) {
            case "bytes" -> columns.add(new Column(name, Encoding.BYTES));
            case "text" -> columns.add(new Column(name, Encoding.BASE64));
            case "inside" ->
                result.skip(
                    "column %s of %s".formatted(name, table.name()),
                    "values inside " + type + " are not scanned");
            default -> {} // declared, or of a type that cannot hold an envelope
          }
        }
      }
    }
    return columns;
  }

  private List<Column> findColumnsWithEnvelopes(
      Connection connection, Relation table, List<Column> columns) throws SQLException {
    List<Column> withEnvelopes = new ArrayList<>();
    try (PreparedStatement statement =
        connection.prepareStatement(EnvelopeScanSql.countEnvelopeHeads(table.sqlName(), columns))) {
      statement.setLong(1, scope.maxRows());
      try (ResultSet found = statement.executeQuery()) {
        found.next();
        for (int i = 0; i < columns.size(); i++) {
          if (found.getLong(i + 2) > 0) {
            withEnvelopes.add(columns.get(i));
          }
        }
      }
    }
    if (scope.isSample() && countRows(connection, table) > scope.maxRows()) {
      result.skipRest(table.name(), scope.maxRows());
    }
    return withEnvelopes;
  }

  /// Counts at most one row more than the sample has.
  private long countRows(Connection connection, Relation table) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            EnvelopeScanSql.countEnvelopeHeads(table.sqlName(), List.of()))) {
      statement.setLong(1, scope.maxRows() + 1);
      try (ResultSet found = statement.executeQuery()) {
        return found.next() ? found.getLong(1) : 0;
      }
    }
  }

  private void countVersions(Connection connection, Relation table, Column column)
      throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(column.countByVersion(table.sqlName()))) {
      statement.setLong(1, scope.maxRows());
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          @Nullable KekVersion version = column.parseVersion(found).orElse(null);
          result.addEnvelopes(
              table.name(), column.name(), column.encoding(), version, found.getLong(2));
        }
      }
    }
  }
}
