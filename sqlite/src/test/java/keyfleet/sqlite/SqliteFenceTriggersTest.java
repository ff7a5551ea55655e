package keyfleet.sqlite;

import static keyfleet.sqlite.SqliteTestFolder.CUSTOMERS;
import static keyfleet.sqlite.SqliteTestFolder.execute;
import static keyfleet.sqlite.SqliteTestFolder.query;
import static keyfleet.store.StoreFixtures.fence;
import static keyfleet.store.StoreFixtures.id;
import static keyfleet.store.StoreFixtures.sealed;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import keyfleet.crypto.Envelope;
import keyfleet.store.Bytes;
import keyfleet.store.Census;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.Refused;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoreFixtures;
import keyfleet.store.StoredRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The fence against an application that does not know it. Version 2, the new one, has replaced
/// version 1, the old one.
class SqliteFenceTriggersTest {
  private static final Fence NEW_ONLY = fence(5, 2);
  private static final Bytes OLD = sealed(1);
  private static final Bytes NEW = sealed(2);

  private SqliteTestFolder folder;
  private SqliteEngine engine;
  private Records records;
  private Connection application;

  @BeforeEach
  void setUp() throws SQLException {
    folder = new SqliteTestFolder();
    engine = folder.openEngine();
    folder.sql(SqliteTestFolder.CREATE_CUSTOMERS);
    records = engine.records(CUSTOMERS);
    application = folder.connect();
    insert("old", OLD);
    insert("new", NEW);
  }

  @AfterEach
  void tearDown() throws SQLException {
    application.close();
    engine.close();
    folder.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO customers (id, f0) VALUES ('x', $OLD)",
        "INSERT OR IGNORE INTO customers (id, f0) VALUES ('x', $OLD)",
        "INSERT OR FAIL INTO customers (id, f0) VALUES ('x', $OLD)",
        "INSERT OR ROLLBACK INTO customers (id, f1) VALUES ('x', $OLD)",
        "INSERT OR REPLACE INTO customers (id, f0) VALUES ('x', $OLD)",
        "INSERT OR REPLACE INTO customers (id, f0) VALUES ('new', $OLD)",
        "REPLACE INTO customers (id, f0, f2) VALUES ('new', $NEW, $OLD)",
        "REPLACE INTO customers (id, f0) VALUES ('new', x'0102')",
        "INSERT INTO customers (id, f0) VALUES ('new', $OLD) ON CONFLICT DO UPDATE SET f0 = $OLD",
        "INSERT INTO customers (id, f0) VALUES ('new', $NEW) ON CONFLICT DO UPDATE SET f0 = $OLD",
        "INSERT INTO customers (id, f0) VALUES ('x', 'text')",
        "INSERT INTO customers (id, f0) VALUES (NULL, $OLD)",
        "INSERT INTO customers (id, f0) SELECT 'x' || id, f0 FROM customers",
        "UPDATE customers SET f0 = $OLD WHERE id = 'new'",
        "UPDATE OR IGNORE customers SET f0 = $OLD WHERE id = 'new'",
        "UPDATE OR REPLACE customers SET f1 = $OLD WHERE id = 'new'",
        "UPDATE customers SET f0 = 7 WHERE id = 'new'",
        "UPDATE customers SET f0 = (SELECT f0 FROM customers WHERE id = 'old')",
        "UPDATE customers SET id = 'x' WHERE id = 'old'",
        "UPDATE OR REPLACE customers SET id = 'new' WHERE id = 'old'",
        "UPDATE \"CUSTOMERS\" SET F0 = $OLD WHERE ID = 'new'",
      })
  void oldWriter_isRefused(String sql) throws SQLException {
    raise(NEW_ONLY);
    Census before = records.census();
    SQLException refused = assertThrows(SQLException.class, () -> run(sql));
    assertTrue(SqliteErrors.isFenceRefusal(refused), refused::toString);
    assertEquals(before, records.census());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO customers (id, f0) VALUES ('x', $NEW)",
        "INSERT INTO customers (id) VALUES ('x')",
        "INSERT OR REPLACE INTO customers (id, f0) VALUES ('old', $OLD)",
        "INSERT OR REPLACE INTO customers (id, f0) VALUES ('old', $NEW)",
        "INSERT INTO customers (id, f0) VALUES ('old', $OLD) ON CONFLICT DO UPDATE SET address ="
            + " 'a'",
        "INSERT INTO customers (id, f0) VALUES ('old', $NEW) ON CONFLICT DO UPDATE SET f0 = $NEW",
        "UPDATE customers SET address = 'a'",
        "UPDATE customers SET f0 = $OLD WHERE id = 'old'",
        "UPDATE customers SET f1 = $NEW",
        "UPDATE customers SET f0 = NULL",
        "UPDATE customers SET id = 'x' WHERE id = 'new'",
        "UPDATE OR REPLACE customers SET id = 'old' WHERE id = 'new'",
        "DELETE FROM customers",
      })
  void allowedWriter_passes(String sql) throws SQLException {
    raise(NEW_ONLY);
    run(sql);
  }

  /// Like an old writer that paused between seal and write.
  @Test
  void transactionThatReadBeforeTheFence_cannotWriteAfterIt() throws SQLException {
    execute(application, "BEGIN");
    assertEquals("2", query(application, "SELECT count(*) FROM customers"));
    raise(NEW_ONLY);
    SQLException busy =
        assertThrows(SQLException.class, () -> run("UPDATE customers SET f0 = $OLD"));
    assertTrue(String.valueOf(busy.getMessage()).contains("BUSY_SNAPSHOT"), busy::toString);
    execute(application, "ROLLBACK");
    assertThrows(SQLException.class, () -> run("UPDATE customers SET f0 = $OLD"));
  }

  /// The fence waits for an earlier writer, whose write is then in the census.
  @Test
  void transactionThatWroteBeforeTheFence_endsFirst() throws InterruptedException, SQLException {
    execute(application, "BEGIN IMMEDIATE");
    run("INSERT INTO customers (id, f0) VALUES ('x', $OLD)");
    CountDownLatch raised = new CountDownLatch(1);
    Thread.ofPlatform()
        .start(() -> {
          raise(NEW_ONLY);
          raised.countDown();
        });
    assertFalse(raised.await(300, TimeUnit.MILLISECONDS), "the fence did not wait");
    execute(application, "COMMIT");
    assertTrue(raised.await(10, TimeUnit.SECONDS), "the fence was not raised");
    assertEquals(2L, records.census().carrying().get(StoreFixtures.v(1)));
  }

  @Test
  void statementPreparedBeforeTheFence_isRefused() throws SQLException {
    try (PreparedStatement insert =
        application.prepareStatement("INSERT INTO customers (id, f0) VALUES (?, ?)")) {
      insert.setString(1, "x");
      insert.setBytes(2, OLD.toArray());
      insert.execute();
      raise(NEW_ONLY);
      insert.setString(1, "y");
      assertThrows(SQLException.class, insert::execute);
    }
  }

  @Test
  void applicationTriggerThatIgnores_doesNotBypassTheFence() throws SQLException {
    execute(
        application,
        """
        CREATE TRIGGER a_first AFTER INSERT ON customers BEGIN SELECT RAISE(IGNORE); END
        """);
    raise(NEW_ONLY);
    assertThrows(
        SQLException.class, () -> run("INSERT INTO customers (id, f0) VALUES ('x', $OLD)"));
    assertEquals("2", query(application, "SELECT count(*) FROM customers"));
  }

  @Test
  void recursiveTriggers_changeNothing() throws SQLException {
    execute(application, "PRAGMA recursive_triggers=ON");
    raise(NEW_ONLY);
    assertThrows(
        SQLException.class, () -> run("REPLACE INTO customers (id, f0) VALUES ('new', $OLD)"));
    run("REPLACE INTO customers (id, f0) VALUES ('new', $NEW)");
  }

  @Test
  void recreatedTable_isFencedAgain() throws SQLException {
    raise(NEW_ONLY);
    execute(application, "ALTER TABLE customers RENAME TO gone");
    execute(application, SqliteTestFolder.CREATE_CUSTOMERS);
    execute(application, "DROP TABLE gone");
    run("INSERT INTO customers (id, f0) VALUES ('slipped in', $OLD)");
    assertEquals(Optional.of(NEW_ONLY), records.fence());
    assertThrows(
        SQLException.class, () -> run("INSERT INTO customers (id, f0) VALUES ('x', $OLD)"));
  }

  @Test
  void fence_outlivesTheEngine() throws SQLException {
    raise(NEW_ONLY);
    engine.close();
    assertThrows(SQLException.class, () -> run("UPDATE customers SET f0 = $OLD"));
    engine = folder.openEngine();
    assertEquals(new Refused(NEW_ONLY), engine.records(CUSTOMERS).fence(fence(4, 1)));
  }

  @Test
  void fenceRaisedTwice_changesTheSchemaOnce() throws SQLException {
    raise(NEW_ONLY);
    String version = query(application, "PRAGMA schema_version");
    raise(NEW_ONLY);
    assertEquals(version, query(application, "PRAGMA schema_version"));
  }

  /// The triggers decide like [Fence#isChangeAllowed], for records with all kinds of fields.
  @Test
  void triggers_agreeWithTheFence() throws SQLException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Bytes> kinds = fieldsOfAllKinds();
    int refused = 0;
    for (int round = 0; round < 10; round++) {
      execute(application, "BEGIN IMMEDIATE");
      List<SealedFields> rows = insertWithoutFence(random, kinds);
      execute(application, "COMMIT");
      Fence held = random.nextBoolean() ? fence(10 + round, 2) : fence(10 + round, 1, 3);
      raise(held);
      execute(application, "BEGIN IMMEDIATE");
      for (int row = 0; row < 2 * rows.size(); row++) {
        SealedFields before = row < rows.size() ? rows.get(row) : SealedFields.NONE;
        SealedFields after = anyFields(random, kinds);
        WriteStatement kind =
            row >= rows.size()
                ? WriteStatement.INSERT
                : random.nextBoolean() ? WriteStatement.REPLACE : WriteStatement.UPDATE;
        String context = "seed %d, round %d, row %d: %s".formatted(seed, round, row, held);
        boolean passed = write(kind, row, after);
        assertEquals(
            held.isChangeAllowed(before, after),
            passed,
            () -> context + describe(before) + " to " + describe(after));
        refused += passed ? 0 : 1;
      }
      execute(application, "COMMIT");
    }
    assertTrue(refused > 200 && refused < 800, "refused " + refused);
  }

  /// The census reads fields like [Envelope#parse], at the boundaries too.
  @Test
  void census_agreesWithEnvelopeParser() {
    int number = 100;
    for (Bytes field : fieldsOfAllKinds()) {
      StoredRecord only = new StoredRecord(id(number++), SealedFields.of(Map.of("f0", field)));
      Census before = records.census();
      assertEquals(new Stored(), records.insert(only));
      Census after = records.census();
      boolean readable = Envelope.parse(field.toArray()).isPresent();
      assertEquals(before.unreadable() + (readable ? 0 : 1), after.unreadable(), describe(field));
    }
  }

  private static List<Bytes> fieldsOfAllKinds() {
    return List.of(
        sealed(1),
        sealed(2),
        sealed(3),
        sealed(9),
        OLD,
        NEW,
        envelopeWithStart("EB4B464500"),
        envelopeWithStart("EB4B46450102"),
        envelopeWithStart("EB4B464401"),
        envelopeWithStart("EB4B4645010100000000"),
        envelopeWithStart("EB4B4645010180000000"),
        envelopeWithStart("EB4B464501017FFFFFFF"),
        envelopeWithStart("EB4B46450101000000020000"),
        envelopeWithStart("EB4B46450101000000020001"),
        envelopeWithStart("EB4B46450101000000020FFF"),
        envelopeWithStart("EB4B46450101000000021001"),
        envelopeStartOfLength(0, 1),
        envelopeStartOfLength(12, 1),
        envelopeStartOfLength(92, 1),
        envelopeStartOfLength(93, 1),
        envelopeStartOfLength(92 + 4096, 4096),
        envelopeStartOfLength(91 + 4096, 4096),
        envelopeStartOfLength(92 + 0x3B7, 0x3B7),
        envelopeStartOfLength(91 + 0x3B7, 0x3B7),
        envelopeStartOfLength(92 + 4096 + Envelope.MAX_PLAINTEXT, 1),
        envelopeStartOfLength(93 + 4096 + Envelope.MAX_PLAINTEXT, 1));
  }

  /// An envelope of version 2 with other bytes at its start.
  private static Bytes envelopeWithStart(String start) {
    byte[] bytes = NEW.toArray();
    byte[] begin = HexFormat.of().parseHex(start);
    System.arraycopy(begin, 0, bytes, 0, begin.length);
    return Bytes.copyOf(bytes);
  }

  /// The start of an envelope with a wrapped DEK of that length, followed by zeros.
  private static Bytes envelopeStartOfLength(int length, int wrapped) {
    byte[] bytes = new byte[length];
    byte[] begin = HexFormat.of().parseHex("EB4B4645010100000002%04X".formatted(wrapped));
    System.arraycopy(begin, 0, bytes, 0, Math.min(length, begin.length));
    return Bytes.copyOf(bytes);
  }

  /// Skips the long fields, which only the census test uses.
  private static SealedFields anyFields(Random random, List<Bytes> fields) {
    Map<String, Bytes> byName = new HashMap<>();
    for (String name : CUSTOMERS.sealedFields()) {
      int kind = random.nextInt(fields.size());
      if (kind > 15) {
        continue;
      }
      byName.put(name, fields.get(random.nextInt(4) > 0 ? kind % 6 : kind));
    }
    return SealedFields.of(byName);
  }

  /// How a statement changes the fields of a record.
  private enum WriteStatement {
    INSERT("INSERT INTO customers (f0, f1, f2, id) VALUES (?, ?, ?, ?)"),
    REPLACE("INSERT OR REPLACE INTO customers (f0, f1, f2, id) VALUES (?, ?, ?, ?)"),
    UPDATE("UPDATE customers SET f0 = ?, f1 = ?, f2 = ? WHERE id = ?");

    private final String sql;

    WriteStatement(String sql) {
      this.sql = sql;
    }
  }

  /// Drops the insert trigger first, so that any row can be inserted.
  private List<SealedFields> insertWithoutFence(Random random, List<Bytes> kinds)
      throws SQLException {
    execute(application, "DELETE FROM customers");
    execute(application, "DROP TRIGGER IF EXISTS keyfleet_fence_insert_customers");
    List<SealedFields> rows = new ArrayList<>();
    for (int row = 0; row < 50; row++) {
      rows.add(anyFields(random, kinds));
      assertTrue(write(WriteStatement.INSERT, row, rows.getLast()));
    }
    return rows;
  }

  private boolean write(WriteStatement kind, int row, SealedFields fields) throws SQLException {
    try (PreparedStatement statement = application.prepareStatement(kind.sql)) {
      int column = 1;
      for (String name : CUSTOMERS.sealedFields()) {
        Bytes field = fields.byName().get(name);
        statement.setBytes(column++, field == null ? null : field.toArray());
      }
      statement.setString(column, "row " + row);
      return statement.executeUpdate() == 1;
    } catch (SQLException e) {
      if (SqliteErrors.isFenceRefusal(e)) {
        return false;
      }
      throw e;
    }
  }

  private static String describe(SealedFields fields) {
    StringBuilder description = new StringBuilder();
    fields
        .byName()
        .forEach((name, field) -> description.append(name + "=" + describe(field) + " "));
    return description.toString();
  }

  private static String describe(Bytes field) {
    String hex = HexFormat.of().formatHex(field.toArray());
    return hex.substring(0, Math.min(24, hex.length())) + " of " + field.length();
  }

  private void run(String sql) throws SQLException {
    execute(application, sql.replace("$OLD", literal(OLD)).replace("$NEW", literal(NEW)));
  }

  private void insert(String id, Bytes field) throws SQLException {
    execute(
        application,
        "INSERT INTO customers (id, f0) VALUES ('" + id + "', " + literal(field) + ")");
  }

  private static String literal(Bytes bytes) {
    return "x'" + HexFormat.of().formatHex(bytes.toArray()) + "'";
  }

  private void raise(Fence fence) {
    assertEquals(new Raised(), records.fence(fence));
  }
}
