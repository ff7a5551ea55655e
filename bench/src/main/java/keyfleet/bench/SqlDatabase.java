package keyfleet.bench;

import java.io.PrintStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import keyfleet.postgres.PostgresEngine;
import keyfleet.postgres.PostgresTestServer;
import keyfleet.sqlite.SqliteEngine;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;
import org.opentest4j.TestAbortedException;

/// A database that an engine of ours and its JDBC driver alone use side by side.
///
/// @param connector opens a connection of the driver, as durable as those of the engine
/// @param heartbeatConnector the same to where the engine keeps entries that expire
/// @param entries the engine's table of entries
/// @param documents the column of `entries` with values that are documents
/// @param document the parameter of an insert for such a value
/// @param blob the column type of bytes
/// @param begin starts a transaction that writes
record SqlDatabase(
    String name,
    StoreUrl url,
    Function<StoreUrl, Engine> opener,
    Connector connector,
    Connector heartbeatConnector,
    String entries,
    String documents,
    String document,
    String blob,
    String begin) {
  private static final String VALUES = "value";

  static final List<String> ENGINES = List.of("sqlite", "postgresql");

  interface Connector {
    Connection connect() throws SQLException;
  }

  /// What is measured on a database.
  interface Measurement {
    void run(SqlDatabase database) throws Exception;
  }

  private record Row(String key, List<byte[]> value, long revision, long writtenAt) {}

  /// Runs the measurement on a new database of this engine; prints why if no server can be started.
  static void measure(
      String engine, ScratchFolder scratch, PrintStream out, Measurement measurement)
      throws Exception {
    if (engine.equals("sqlite")) {
      measurement.run(sqlite(scratch.subfolder("sqlite").resolve("keyfleet.db")));
      return;
    }
    // With the settings that it is shipped with: a commit waits for the disk.
    try (PostgresTestServer server = PostgresTestServer.startNew()) {
      measurement.run(postgres(server));
    } catch (TestAbortedException e) {
      out.println("  postgresql: " + e.getMessage());
    }
  }

  private static SqlDatabase sqlite(Path file) {
    return new SqlDatabase(
        "sqlite",
        StoreUrl.parse("sqlite:" + file),
        SqliteEngine::open,
        () -> connectSqlite(file),
        () -> connectSqlite(file.resolveSibling("keyfleet-beats.db")),
        "keyfleet_entries",
        VALUES,
        "?",
        "BLOB",
        "BEGIN IMMEDIATE");
  }

  private static Connection connectSqlite(Path file) throws SQLException {
    Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
    try (Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA busy_timeout=5000");
      statement.execute("PRAGMA synchronous=EXTRA");
      statement.execute("PRAGMA fullfsync=ON");
    }
    return connection;
  }

  private static SqlDatabase postgres(PostgresTestServer server) {
    Connector connector = () -> server.connect("postgres?reWriteBatchedInserts=true");
    return new SqlDatabase(
        "postgresql",
        StoreUrl.parse(server.url("postgres", "")),
        PostgresEngine::open,
        connector,
        connector,
        "keyfleet.kv",
        "document",
        "convert_from(?, 'UTF8')::json",
        "bytea",
        "BEGIN");
  }

  Engine openEngine() {
    return opener.apply(url);
  }

  /// Inserts entries whose values are no documents as the engine stores them, in one transaction.
  void insertEntries(
      Connection connection, String bucket, List<String> keys, List<byte[]> values, long writtenAt)
      throws SQLException {
    String sql =
        "INSERT INTO %s (bucket, key, value, revision, written_at) VALUES (?, ?, ?, 1, ?)"
            .formatted(entries);
    insert(connection, sql, bucket, keys, values, writtenAt);
  }

  /// The same for documents.
  void insertDocuments(
      Connection connection, String bucket, List<String> keys, List<byte[]> values, long writtenAt)
      throws SQLException {
    String sql =
        "INSERT INTO %s (bucket, key, %s, revision, written_at) VALUES (?, ?, %s, 1, ?)"
            .formatted(entries, documents, document);
    insert(connection, sql, bucket, keys, values, writtenAt);
  }

  private static void insert(
      Connection connection,
      String sql,
      String bucket,
      List<String> keys,
      List<byte[]> values,
      long writtenAt)
      throws SQLException {
    connection.setAutoCommit(false);
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      for (int i = 0; i < keys.size(); i++) {
        insert.setString(1, bucket);
        insert.setString(2, keys.get(i));
        insert.setBytes(3, values.get(i));
        insert.setLong(4, writtenAt);
        insert.addBatch();
      }
      insert.executeBatch();
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  /// Reads the entries of a branch by the engine's own query and returns how many there are.
  int readEntries(Connection connection, String bucket, String branch) throws SQLException {
    return read(connection, VALUES, bucket, branch);
  }

  /// The same for documents.
  int readDocuments(Connection connection, String bucket, String branch) throws SQLException {
    return read(connection, documents, bucket, branch);
  }

  private int read(Connection connection, String column, String bucket, String branch)
      throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (PreparedStatement select =
        connection.prepareStatement(
            """
            SELECT key, %s, revision, written_at FROM %s
            WHERE bucket = ? AND key >= ? AND key < ? AND written_at > ? ORDER BY key
            """
                .formatted(column, entries))) {
      select.setString(1, bucket);
      select.setString(2, branch + ".");
      select.setString(3, branch + "/");
      select.setLong(4, 0);
      try (ResultSet found = select.executeQuery()) {
        while (found.next()) {
          rows.add(
              new Row(
                  found.getString(1),
                  List.of(found.getBytes(2)),
                  found.getLong(3),
                  found.getLong(4)));
        }
      }
    }
    return rows.size();
  }
}
