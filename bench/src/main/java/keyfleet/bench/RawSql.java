package keyfleet.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

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

  private final SqlDatabase database;
  private final Connection connection;
  private final String records;
  private final ChangeSignal signal;
  private final PreparedStatement set;
  private final PreparedStatement change;
  private final byte[] value = "v".repeat(VALUE_BYTES).getBytes(UTF_8);
  private final List<byte[]> stored = new ArrayList<>();
  private long counter = 1;
  private long watched = 1;

  RawSql(SqlDatabase database, String records, ChangeSignal signal) throws SQLException {
    this.database = database;
    this.connection = database.connector().connect();
    this.records = records;
    this.signal = signal;
    List<String> keys = List.of("raw.counter", "raw.watched");
    database.insertEntries(connection, BUCKET, keys, List.of(value, value), 1);
    this.set =
        connection.prepareStatement(
            "UPDATE %s SET value = ?, revision = ? WHERE bucket = ? AND key = ? AND revision = ?"
                .formatted(database.entries()));
    this.change =
        connection.prepareStatement(
            "UPDATE %s SET %s = ? WHERE %s = ? AND %s = ?"
                .formatted(records, SealedTable.FIELD, SealedTable.ID, SealedTable.FIELD));
  }

  /// Inserts the entries that [#list] reads.
  void fill(int keys) throws SQLException {
    database.insertEntries(
        connection,
        BUCKET,
        IntStream.range(0, keys).mapToObj(it -> BRANCH + "." + SealedTable.id(it)).toList(),
        Collections.nCopies(keys, new byte[VALUE_BYTES]),
        1);
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
    return database.readEntries(connection, BUCKET, BRANCH);
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
            connection.prepareStatement("INSERT INTO %s VALUES (?, ?)".formatted(records))) {
      transaction.execute(database.begin());
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
        transaction.execute(database.begin());
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
