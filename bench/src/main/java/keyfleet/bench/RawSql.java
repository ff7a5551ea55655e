package keyfleet.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/// A JDBC driver on the tables of an engine, with prepared statements and one connection. It keeps
/// revisions, and nothing else of what the engine does: no log of changes, no queue of writers, no
/// check that the file or the server is still the same.
final class RawSql implements StoreUnderTest {
  /// How a database notifies of changes, and through which connection.
  interface ChangeSignal {
    /// Notifies of the write that this connection has just made.
    void send(Connection connection) throws SQLException;

    void listen(Runnable onChange) throws SQLException;

    void close() throws SQLException;
  }

  /// What differs between databases.
  record Dialect(String entries, String records, String begin) {}

  private record Row(String key, List<byte[]> value, long revision, long writtenAt) {}

  private final Connection connection;
  private final Dialect dialect;
  private final ChangeSignal signal;
  private final PreparedStatement set;
  private final PreparedStatement change;
  private final byte[] value = "v".repeat(VALUE_BYTES).getBytes(UTF_8);
  private final List<byte[]> stored = new ArrayList<>();
  private long counter = 1;
  private long watched = 1;

  RawSql(Connection connection, Dialect dialect, ChangeSignal signal) throws SQLException {
    this.connection = connection;
    this.dialect = dialect;
    this.signal = signal;
    insert("raw.counter");
    insert("raw.watched");
    this.set =
        connection.prepareStatement(
            "UPDATE %s SET value = ?, revision = ? WHERE bucket = ? AND key = ? AND revision = ?"
                .formatted(dialect.entries));
    this.change =
        connection.prepareStatement(
            "UPDATE %s SET %s = ? WHERE %s = ? AND %s = ?"
                .formatted(dialect.records, SealedTable.FIELD, SealedTable.ID, SealedTable.FIELD));
  }

  private void insert(String key) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO %s (bucket, key, value, revision, written_at) VALUES (?, ?, ?, 1, 1)"
                .formatted(dialect.entries))) {
      insert.setString(1, BUCKET);
      insert.setString(2, key);
      insert.setBytes(3, value);
      insert.executeUpdate();
    }
  }

  @Override
  public void compareAndSet(int times) throws SQLException {
    for (int i = 0; i < times; i++) {
      set("raw.counter", counter++);
    }
  }

  private void set(String key, long expected) throws SQLException {
    set.setBytes(1, value);
    set.setLong(2, expected + 1);
    set.setString(3, BUCKET);
    set.setString(4, key);
    set.setLong(5, expected);
    if (set.executeUpdate() != 1) {
      throw new IllegalStateException("a compare-and-set failed");
    }
  }

  @Override
  public int list() throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (PreparedStatement select =
        connection.prepareStatement(
            """
            SELECT key, value, revision, written_at FROM %s
            WHERE bucket = ? AND key >= ? AND key < ? ORDER BY key
            """
                .formatted(dialect.entries))) {
      select.setString(1, BUCKET);
      select.setString(2, BRANCH + ".");
      select.setString(3, BRANCH + "/");
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

  @Override
  public void watch(Runnable onChange) throws SQLException {
    signal.listen(onChange);
  }

  @Override
  public void write() throws SQLException {
    set("raw.watched", watched++);
    signal.send(connection);
  }

  @Override
  public void seed(List<byte[]> sealed) throws SQLException {
    try (Statement transaction = connection.createStatement();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO %s VALUES (?, ?)".formatted(dialect.records))) {
      transaction.execute(dialect.begin);
      for (int i = 0; i < sealed.size(); i++) {
        insert.setString(1, SealedTable.id(i));
        insert.setBytes(2, sealed.get(i));
        insert.addBatch();
        stored.add(sealed.get(i).clone());
      }
      insert.executeBatch();
      transaction.execute("COMMIT");
    }
  }

  @Override
  public void rewrite(int batch) throws SQLException {
    for (int from = 0; from < stored.size(); from += batch) {
      int to = Math.min(stored.size(), from + batch);
      try (Statement transaction = connection.createStatement()) {
        transaction.execute(dialect.begin);
        for (int i = from; i < to; i++) {
          byte[] next = PlainRewriter.changeKey(stored.get(i));
          change.setBytes(1, next);
          change.setString(2, SealedTable.id(i));
          change.setBytes(3, stored.get(i));
          change.addBatch();
          stored.set(i, next);
        }
        for (int changed : change.executeBatch()) {
          if (changed != 1) {
            throw new IllegalStateException("a record was not stored");
          }
        }
        transaction.execute("COMMIT");
      }
    }
  }

  @Override
  public void close() {
    try {
      signal.close();
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException("a connection cannot be closed", e);
    }
  }
}
