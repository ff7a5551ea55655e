package keyfleet.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import keyfleet.store.CollectionShape;
import keyfleet.store.RecordId;
import keyfleet.store.StoreRefusedException;

/// An application's table, found on the search path and checked for the columns that Keyfleet
/// needs. `idType` is the SQL type of the id.
record PostgresTable(String schema, CollectionShape shape, String idType) {
  /// The allowed types of an id, and how the server prints such an id.
  private static final Map<String, Pattern> ID_TYPES =
      Map.of(
          "text", Pattern.compile("(?s).*"),
          "character varying", Pattern.compile("(?s).*"),
          "uuid", Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
          "bigint", Pattern.compile("0|-?[1-9][0-9]{0,18}"),
          "integer", Pattern.compile("0|-?[1-9][0-9]{0,9}"));

  private static final Set<String> VERSION_TYPES = Set.of("integer", "bigint");
  private static final String NEW_VERSION_TYPE = "integer";

  /// SQLSTATEs when another session creates the same table at the same time: the server's `IF NOT
  /// EXISTS` is not atomic.
  private static final Set<String> ALREADY_EXISTS = Set.of("42P07", "23505");

  /// The table in the server's catalogue.
  private record CatalogEntry(String schema, String kind, long oid) {}

  static PostgresTable find(Connection connection, CollectionShape shape) throws SQLException {
    CatalogEntry found = lookUp(connection, shape.name());
    Map<String, String> types = readColumnTypes(connection, found.oid);
    for (String field : shape.sealedFields()) {
      checkType(shape, types, field, Set.of("bytea"), addColumnSql(shape, field, "bytea"));
    }
    checkType(
        shape,
        types,
        shape.idField(),
        ID_TYPES.keySet(),
        "add the column, unique and of one of these types: " + listed(ID_TYPES.keySet()));
    if (shape.versionField().isPresent()) {
      String field = shape.versionField().get();
      checkType(shape, types, field, VERSION_TYPES, addColumnSql(shape, field, NEW_VERSION_TYPE));
    }
    checkUnique(connection, shape, found.oid);
    checkAllRowsVisible(connection, shape, found.oid);
    String idType = types.getOrDefault(shape.idField(), "");
    return new PostgresTable(found.schema, shape, idType);
  }

  /// Creates the table in the first schema of the search path. An existing table stays as it is,
  /// except that it gains the version field if it lacks one.
  static boolean create(Connection connection, CollectionShape shape) throws SQLException {
    List<String> missing = missingPartsSql(connection, shape);
    if (missing.isEmpty()) {
      return true;
    }
    try (Statement statement = connection.createStatement()) {
      // Sent together, so that they are one transaction.
      statement.execute(String.join("; ", missing));
      return true;
    } catch (SQLException e) {
      if (ALREADY_EXISTS.contains(PostgresErrorKind.sqlState(e))) {
        return true;
      }
      throw e;
    }
  }

  /// Looks before it creates: `IF NOT EXISTS` needs the rights of the owner and locks the table,
  /// also if there is nothing to do.
  private static List<String> missingPartsSql(Connection connection, CollectionShape shape)
      throws SQLException {
    long oid = findOid(connection, shape.name());
    if (oid == 0) {
      return Stream.concat(Stream.of(createSql(shape)), versionIndexSql(shape).stream()).toList();
    }
    Optional<String> field = shape.versionField();
    return field.isPresent() && !readColumnTypes(connection, oid).containsKey(field.get())
        ? Stream.concat(
                Stream.of(addColumnSql(shape, field.get(), NEW_VERSION_TYPE)),
                versionIndexSql(shape).stream())
            .toList()
        : List.of();
  }

  private static String createSql(CollectionShape shape) {
    String columns =
        shape.sealedFields().stream()
            .map(it -> ", " + quote(it) + " bytea")
            .collect(Collectors.joining());
    String versionColumn =
        shape.versionField().map(it -> ", " + quote(it) + " " + NEW_VERSION_TYPE).orElse("");
    return "CREATE TABLE IF NOT EXISTS %s (%s text PRIMARY KEY%s%s)"
        .formatted(quote(shape.name()), quote(shape.idField()), columns, versionColumn);
  }

  private static String addColumnSql(CollectionShape shape, String column, String type) {
    return "ALTER TABLE %s ADD COLUMN IF NOT EXISTS %s %s"
        .formatted(quote(shape.name()), quote(column), type);
  }

  private static Optional<String> versionIndexSql(CollectionShape shape) {
    return shape
        .versionField()
        .map(it ->
            "CREATE INDEX IF NOT EXISTS %s ON %s (%s)"
                .formatted(quote(shape.name() + "_" + it), quote(shape.name()), quote(it)));
  }

  /// Quoted and with its schema, so that later changes of the search path do not matter.
  String qualifiedName() {
    return quote(schema) + "." + quote(shape.name());
  }

  String quotedId() {
    return quote(shape.idField());
  }

  /// The id for a statement. Envelopes bind the text of the id, so only the server's own spelling
  /// is accepted.
  String idParameter(RecordId id) {
    if (!ID_TYPES.getOrDefault(idType, Pattern.compile("")).matcher(id.value()).matches()) {
      throw new IllegalArgumentException(
          "record %s of table %s is not a %s as the server prints it"
              .formatted(id, qualifiedName(), idType));
    }
    return id.value();
  }

  List<String> fields() {
    return List.copyOf(shape.sealedFields());
  }

  /// The sealed columns, quoted, in the order of [#fields].
  List<String> columns() {
    return fields().stream().map(PostgresTable::quote).toList();
  }

  /// The version field, quoted.
  Optional<String> versionColumn() {
    return shape.versionField().map(PostgresTable::quote);
  }

  /// The condition that the version field is not the lowest version of the row. Both are compared
  /// as the eight bytes of a number.
  String mismatchCondition() {
    return versionColumn()
        .map(it ->
            "(int8send(%s::bigint) IS DISTINCT FROM decode('00000000', 'hex') || %s)"
                .formatted(it, lowestVersion()))
        .orElse("false");
  }

  /// SQL for the lowest version of a row.
  String lowestVersion() {
    return least(columns().stream().map(VersionTagSql::tagOf));
  }

  static String least(Stream<String> tags) {
    return tags.collect(Collectors.joining(", ", "least(", ")"));
  }

  /// Escapes quotes, because the name of a schema may contain them; a [CollectionShape] contains
  /// none.
  static String quote(String identifier) {
    return '"' + identifier.replace("\"", "\"\"") + '"';
  }

  /// 0 if there is no such table on the search path.
  private static long findOid(Connection connection, String name) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT coalesce(to_regclass(?)::oid::bigint, 0)")) {
      statement.setString(1, quote(name));
      try (ResultSet found = statement.executeQuery()) {
        return found.next() ? found.getLong(1) : 0;
      }
    }
  }

  private static CatalogEntry lookUp(Connection connection, String name) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            """
            SELECT n.nspname, c.oid, CASE
              WHEN c.relkind NOT IN ('r', 'p') THEN 'is not a table'
              WHEN c.relpersistence <> 'p' THEN 'is not a permanent table'
              WHEN c.relkind = 'r' AND c.relhassubclass THEN 'is inherited by other tables'
              ELSE '' END
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.oid = to_regclass(?)
            """)) {
      statement.setString(1, quote(name));
      try (ResultSet found = statement.executeQuery()) {
        if (!found.next()) {
          throw StoreRefusedException.noCollection(
              "there is no table " + name + " on the role's search path",
              "create it, or ALTER ROLE … SET search_path");
        }
        CatalogEntry table =
            new CatalogEntry(found.getString(1), found.getString(3), found.getLong(2));
        if (!table.kind.isEmpty()) {
          throw new StoreRefusedException(
              name + " " + table.kind + " and cannot be fenced",
              "keep sealed records in an ordinary or a partitioned table");
        }
        return table;
      }
    }
  }

  private static Map<String, String> readColumnTypes(Connection connection, long oid)
      throws SQLException {
    Map<String, String> types = new HashMap<>();
    try (PreparedStatement statement =
        connection.prepareStatement(
            """
            SELECT attname, CASE WHEN attgenerated = '' THEN '' ELSE 'generated ' END
                            || format_type(atttypid, NULL)
            FROM pg_attribute WHERE attrelid = ? AND attnum > 0 AND NOT attisdropped
            """)) {
      statement.setLong(1, oid);
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          types.put(found.getString(1), found.getString(2));
        }
      }
    }
    return types;
  }

  private static void checkType(
      CollectionShape shape,
      Map<String, String> types,
      String column,
      Set<String> wanted,
      String remedyIfMissing) {
    String type = types.get(column);
    if (type == null) {
      throw new StoreRefusedException(
          "table %s has no column %s".formatted(shape.name(), column), remedyIfMissing);
    }
    if (!wanted.contains(type)) {
      throw new StoreRefusedException(
          "column %s of table %s is %s, not %s"
              .formatted(column, shape.name(), type, listed(wanted)),
          "make it a column of type " + listed(wanted));
    }
  }

  private static String listed(Set<String> types) {
    return String.join(" or ", types.stream().sorted().toList());
  }

  /// A change of one record must not match two rows.
  private static void checkUnique(Connection connection, CollectionShape shape, long oid)
      throws SQLException {
    String isUnique =
        """
        SELECT EXISTS (
          SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid
            AND a.attnum = i.indkey[0]
          WHERE i.indrelid = ? AND a.attname = ? AND i.indnkeyatts = 1 AND i.indisunique
            AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL)
        """;
    if (!queryBoolean(connection, isUnique, oid, shape.idField())) {
      throw new StoreRefusedException(
          "column %s of table %s is not unique".formatted(shape.idField(), shape.name()),
          "make it the primary key");
    }
  }

  /// A census would count a hidden record as gone.
  private static void checkAllRowsVisible(Connection connection, CollectionShape shape, long oid)
      throws SQLException {
    if (queryBoolean(connection, "SELECT row_security_active(?::oid)", oid)) {
      throw new StoreRefusedException(
          "row security may hide records of table " + shape.name() + " from this role",
          "ALTER ROLE … BYPASSRLS");
    }
  }

  private static boolean queryBoolean(Connection connection, String query, Object... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      for (int i = 0; i < parameters.length; i++) {
        statement.setObject(i + 1, parameters[i]);
      }
      try (ResultSet found = statement.executeQuery()) {
        return found.next() && found.getBoolean(1);
      }
    }
  }
}
