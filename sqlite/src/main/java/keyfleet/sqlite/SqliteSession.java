package keyfleet.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import keyfleet.store.Bytes;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/// One connection with its prepared statements, used by one thread at a time. It stays in
/// autocommit mode: a driver that opens transactions by itself would hold the write lock while
/// idle.
final class SqliteSession implements AutoCloseable {
  /// How long SQLite waits for writers that do not use the queue: the application's own.
  static final Duration BUSY_LIMIT = Duration.ofSeconds(5);

  /// Which acknowledged transactions a power failure may lose.
  enum Durability {
    /// None. In WAL mode EXTRA equals FULL; an application's file may use another journal mode.
    FULL("PRAGMA synchronous=EXTRA"),
    /// The last ones; the file stays intact.
    NORMAL("PRAGMA synchronous=NORMAL");

    private final String pragma;

    Durability(String pragma) {
      this.pragma = pragma;
    }
  }

  @FunctionalInterface
  interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  @FunctionalInterface
  interface Visitor {
    void visit(ResultSet row) throws SQLException;
  }

  private final Connection connection;
  private final Map<String, PreparedStatement> statements = new HashMap<>();

  private SqliteSession(Connection connection) {
    this.connection = connection;
  }

  /// The file must exist: a file that disappeared is not created again.
  static SqliteSession open(Path file, Durability durability) throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.resetOpenMode(SQLiteOpenMode.CREATE);
    config.setBusyTimeout((int) BUSY_LIMIT.toMillis());
    config.enforceForeignKeys(true);
    SqliteSession session =
        new SqliteSession(config.createConnection("jdbc:sqlite:" + file.toAbsolutePath()));
    try {
      session.run(durability.pragma);
      session.run("PRAGMA fullfsync=ON");
      return session;
    } catch (SQLException e) {
      session.close();
      throw e;
    }
  }

  /// For a command that only reads: needs no right to write the file or its folder.
  static SqliteSession openForReading(Path file) throws SQLException {
    if (Files.isWritable(file) && Files.isWritable(file.toAbsolutePath().getParent())) {
      return open(file, Durability.FULL);
    }
    SqliteSession session = openReadOnly("jdbc:sqlite:" + file.toAbsolutePath());
    try {
      session.number("SELECT count(*) FROM sqlite_schema");
      return session;
    } catch (SQLException e) {
      session.close();
      if (Files.exists(file.resolveSibling(file.getFileName() + "-wal"))) {
        throw e;
      }
      // SQLite cannot create the files next to it that readers of a log share. Without a log, no
      // process has the database open, and the file alone is complete.
      return openReadOnly("jdbc:sqlite:" + file.toUri() + "?immutable=1");
    }
  }

  /// Runs one statement on a database in memory.
  static void warmUp() throws SQLException {
    SqliteSession session = openReadOnly("jdbc:sqlite::memory:");
    session.row("SELECT ?, ?", row -> row.getString(1), "", 1L);
    session.close();
  }

  private static SqliteSession openReadOnly(String url) throws SQLException {
    SQLiteConfig config = new SQLiteConfig();
    config.setReadOnly(true);
    config.setBusyTimeout((int) BUSY_LIMIT.toMillis());
    return new SqliteSession(config.createConnection(url));
  }

  void run(String sql) throws SQLException {
    prepare(sql).execute();
  }

  /// For statements that run once, such as DDL.
  void runOnce(String sql) throws SQLException {
    try (var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /// Returns how many rows changed.
  int update(String sql, @Nullable Object... args) throws SQLException {
    return bindAll(sql, args).executeUpdate();
  }

  <T> Optional<T> row(String sql, Reader<T> reader, @Nullable Object... args) throws SQLException {
    // Closed at once: an open result keeps its snapshot, which stops SQLite from truncating the
    // log.
    try (ResultSet rows = bindAll(sql, args).executeQuery()) {
      return rows.next() ? Optional.of(reader.read(rows)) : Optional.empty();
    }
  }

  <T> List<T> rows(String sql, Reader<T> reader, @Nullable Object... args) throws SQLException {
    List<T> found = new ArrayList<>();
    forEachRow(sql, row -> found.add(reader.read(row)), args);
    return found;
  }

  /// Returns how many rows there were.
  int forEachRow(String sql, Visitor visitor, @Nullable Object... args) throws SQLException {
    int count = 0;
    try (ResultSet rows = bindAll(sql, args).executeQuery()) {
      while (rows.next()) {
        visitor.visit(rows);
        count++;
      }
    }
    return count;
  }

  /// The number that a query or pragma returns; 0 if it returns none.
  long number(String sql, @Nullable Object... args) throws SQLException {
    return row(sql, row -> row.getLong(1), args).orElse(0L);
  }

  /// Returns whether the rollback succeeded on this connection.
  boolean rollback() {
    try {
      runOnce("ROLLBACK");
      return true;
    } catch (SQLException e) {
      // SQLite has already rolled back, or the connection is lost; either way the caller discards
      // it.
      return false;
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      // No transaction is open on it, so the file is not affected.
      statements.clear();
    }
  }

  private PreparedStatement bindAll(String sql, @Nullable Object... args) throws SQLException {
    PreparedStatement statement = prepare(sql);
    for (int i = 0; i < args.length; i++) {
      bind(statement, i + 1, args[i]);
    }
    return statement;
  }

  private static void bind(PreparedStatement statement, int index, @Nullable Object arg)
      throws SQLException {
    if (arg == null) {
      statement.setBytes(index, null);
    } else if (arg instanceof Bytes bytes) {
      statement.setBytes(index, bytes.toArray());
    } else if (arg instanceof String || arg instanceof Long || arg instanceof Integer) {
      statement.setObject(index, arg);
    } else {
      throw new IllegalArgumentException("unsupported SQL value type: " + arg.getClass());
    }
  }

  private PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement known = statements.get(sql);
    if (known == null) {
      known = connection.prepareStatement(sql);
      statements.put(sql, known);
    }
    return known;
  }
}
