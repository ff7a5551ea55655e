package keyfleet.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import keyfleet.crypto.EnvelopeCipher;
import keyfleet.crypto.FieldLocation;
import keyfleet.crypto.KeyringName;
import keyfleet.crypto.SealResult.Sealed;
import keyfleet.crypto.SecretBytes;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.CollectionShape;

/// Tables of an application, each with the same records: an id and one sealed field of 100 bytes.
/// They are filled by plain SQL.
record SealedTable(String name) {
  static final String ID = "id";
  static final String FIELD = "secret";
  private static final int BATCH = 10_000;
  private static final String TEXT = "0123456789".repeat(10);

  CollectionShape shape() {
    return new CollectionShape(name, ID, new TreeSet<>(Set.of(FIELD)));
  }

  CollectionRegistration registration(String engine) {
    return new CollectionRegistration(KeyringName.MAIN, engine, name, ID, List.of(FIELD));
  }

  /// Ids sort in the order of the numbers.
  static String id(int number) {
    return "customer-%08d".formatted(number);
  }

  /// Seals the value under version 1 for this table; only this table can be rotated.
  byte[] seal(EnvelopeCipher cipher, int number) {
    FieldLocation entry = new FieldLocation(name, id(number), FIELD);
    try (SecretBytes value = SecretBytes.copyOf(TEXT.getBytes(UTF_8))) {
      return ((Sealed) cipher.seal(BenchWorker.V1, entry, value)).envelope().toBytes();
    }
  }

  void create(Connection connection, String blob) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE %s (%s text NOT NULL PRIMARY KEY, %s %s)".formatted(name, ID, FIELD, blob));
    }
  }

  /// Creates this table and its copies, and fills all of them.
  void createAndFill(
      Connection connection, String blob, List<SealedTable> copies, int records, EnvelopeCipher by)
      throws SQLException {
    List<SealedTable> tables = new ArrayList<>(copies);
    tables.addFirst(this);
    for (SealedTable each : tables) {
      each.create(connection, blob);
    }
    connection.setAutoCommit(false);
    for (int from = 0; from < records; from += BATCH) {
      int to = Math.min(records, from + BATCH);
      int first = from;
      List<byte[]> sealed =
          IntStream.range(from, to).parallel().mapToObj(it -> seal(by, it)).toList();
      for (SealedTable each : tables) {
        each.insert(connection, first, sealed);
      }
      connection.commit();
    }
    connection.setAutoCommit(true);
  }

  private void insert(Connection connection, int first, List<byte[]> sealed) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO %s VALUES (?, ?)".formatted(name))) {
      for (int i = 0; i < sealed.size(); i++) {
        insert.setString(1, id(first + i));
        insert.setBytes(2, sealed.get(i));
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }
}
