package keyfleet.postgres;

import static keyfleet.store.StoreFixtures.fence;
import static keyfleet.store.StoreFixtures.fields;
import static keyfleet.store.StoreFixtures.record;
import static keyfleet.store.StoreFixtures.sealed;
import static keyfleet.store.StoreFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.Refused;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.StoreException;
import keyfleet.store.StoredRecord;
import keyfleet.store.engine.StoreCheck;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/// The fence against writers that know nothing of Keyfleet. As in the contract, the old version is
/// 1, the new version is 2.
class PostgresFenceTest {
  private static final Fence NEW_ONLY = fence(5, 2);
  private static final int LIMIT_SECONDS = 20;

  private final CustomersTable customers = new CustomersTable();

  @AfterEach
  void close() {
    customers.close();
  }

  /// The first fence creates the trigger, a later one only replaces its function.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oldWriterWithOpenTransaction_isWaitedForAndCounted(boolean again) throws SQLException {
    if (again) {
      raise(fence(4, 1, 2));
    }
    try (Connection writer = customers.connectAsApplication()) {
      writer.setAutoCommit(false);
      insert(writer, "early", 1);
      CompletableFuture<FenceResult> raising = raiseAsync(NEW_ONLY);
      awaitBarrier();
      try (Connection reader = customers.connectAsApplication()) {
        assertEquals(
            0, count(reader), "a reader does not wait, and does not see the open transaction");
      }
      insert(writer, "early too", 1);
      writer.commit();
      assertEquals(new Raised(), raising.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join());
      assertEquals(2L, customers.records().census().belonging().get(v(1)));
      assertRefused(() -> insert(writer, "late", 1));
    }
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        Connection.TRANSACTION_READ_COMMITTED,
        Connection.TRANSACTION_REPEATABLE_READ,
        Connection.TRANSACTION_SERIALIZABLE
      })
  void transactionBegunBeforeTheFence_isRefusedAfterTheCensus(int isolation) throws SQLException {
    customers.records().insert(record("rewrapped", 2));
    try (Connection writer = customers.connectAsApplication()) {
      writer.setTransactionIsolation(isolation);
      writer.setAutoCommit(false);
      assertEquals(1, count(writer)); // its snapshot is from before the fence
      raise(NEW_ONLY);
      assertEquals(Optional.empty(), oldRecords());
      assertRefused(() -> insert(writer, "late", 1));
      writer.rollback();
      assertEquals(1, count(writer));
      assertRefused(() -> update(writer, "rewrapped", 1));
      writer.rollback();
      assertEquals(Optional.empty(), oldRecords());
    }
  }

  @Test
  void preparedStatementFromBeforeTheFence_isRefused() throws SQLException {
    try (Connection writer = customers.connectAsApplication();
        PreparedStatement statement = prepareInsert(writer)) {
      for (int i = 0; i < 20; i++) { // well past the threshold of a plan kept by the server
        assertEquals(1, executeInsert(statement, "early " + i, 1));
      }
      raise(NEW_ONLY);
      assertRefused(() -> executeInsert(statement, "late", 1));
      assertEquals(1, executeInsert(statement, "new", 2));
      raise(fence(6, 3));
      assertRefused(() -> executeInsert(statement, "new again", 2));
    }
  }

  @Test
  void writerThatNeverEnds_isNamedInTheError() throws SQLException {
    try (Connection writer = customers.connectAsApplication()) {
      writer.setAutoCommit(false);
      insert(writer, "open", 1);
      String session = Integer.toString(writer.unwrap(PGConnection.class).getBackendPID());
      StoreException e = assertThrows(StoreException.class, () -> raise(NEW_ONLY));
      assertTrue(e.getMessage().contains(session), e::getMessage);
      assertEquals(Optional.empty(), customers.records().fence());
      writer.commit();
      raise(NEW_ONLY);
    }
  }

  @Test
  void unrelatedColumnAndId_ofAnOldRowMayChange() throws SQLException {
    customers.records().insert(record("old", 1, 1));
    raise(NEW_ONLY);
    assertEquals(1, run("UPDATE {table} SET address = 'new' WHERE id = 'old'"));
    assertEquals(1, run("UPDATE {table} SET id = 'renamed', address = f0::text WHERE id = 'old'"));
    assertEquals(1, run("UPDATE {table} SET f0 = f0, f1 = f1, f2 = NULL"));
    assertEquals(1L, customers.records().census().belonging().get(v(1)));
  }

  @Test
  void upsert_isCheckedByWhatItDoes() throws SQLException {
    customers.records().insert(record("old", 1));
    customers.records().insert(record("rewrapped", 2));
    raise(NEW_ONLY);
    String upsert =
        "INSERT INTO {table} (id, f0) VALUES ('%s', %s) ON CONFLICT (id) DO UPDATE SET f0 ="
            + " excluded.f0";
    assertEquals(1, run(upsert.formatted("old", literal(1))));
    assertRefused(() -> run(upsert.formatted("rewrapped", literal(1))));
    assertRefused(() -> run(upsert.formatted("absent", literal(1))));
    assertEquals(1, run(upsert.formatted("absent", literal(2))));
  }

  @Test
  void copy_isRefused() throws SQLException {
    raise(NEW_ONLY);
    try (Connection writer = customers.connectAsApplication()) {
      String row = "copied\t\\\\x" + HexFormat.of().formatHex(sealed(1).toArray()) + "\n";
      assertRefused(() -> {
        try {
          writer
              .unwrap(PGConnection.class)
              .getCopyAPI()
              .copyIn(
                  "COPY %s (id, f0) FROM STDIN".formatted(customers.table()),
                  new ByteArrayInputStream(row.getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      });
    }
  }

  @Test
  void replicationSession_isRefused() throws SQLException {
    raise(NEW_ONLY);
    try (Connection writer = customers.server().connect(CustomersTable.DATABASE);
        Statement statement = writer.createStatement()) {
      statement.execute("SET session_replication_role = replica");
      assertRefused(() -> insert(writer, "late", 1));
    }
  }

  /// In this session the operator `=` says that all bytes are equal.
  @Test
  void sessionWithItsOwnOperators_isRefused() throws SQLException {
    raise(NEW_ONLY);
    sql("CREATE SCHEMA trick AUTHORIZATION shop_app");
    sql("CREATE FUNCTION trick.yes(bytea, bytea) RETURNS boolean LANGUAGE sql AS 'SELECT true'");
    sql("CREATE OPERATOR trick.= (LEFTARG = bytea, RIGHTARG = bytea, FUNCTION = trick.yes)");
    try (Connection writer = customers.connectAsApplication();
        Statement statement = writer.createStatement()) {
      statement.execute("SET search_path = trick, public, pg_catalog");
      statement.execute("SET standard_conforming_strings = off");
      assertRefused(() -> insert(writer, "late", 1));
    }
  }

  /// A trigger of the application that runs after any other may still change the row.
  @Test
  void rowChangedByAnotherTrigger_isRefused() throws SQLException {
    customers
        .server()
        .execute(
            CustomersTable.DATABASE,
            "CREATE FUNCTION make_old_%1$s() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.f0 := %2$s; RETURN NEW; END $$"
                .formatted(customers.table(), literal(1)),
            "CREATE TRIGGER zzz BEFORE INSERT ON %1$s FOR EACH ROW EXECUTE FUNCTION make_old_%1$s()"
                .formatted(customers.table()));
    raise(NEW_ONLY);
    try (Connection writer = customers.connectAsApplication()) {
      assertRefused(() -> insert(writer, "new", 2));
    }
  }

  @Test
  void deleteAndTruncate_areAccepted() throws SQLException {
    customers.records().insert(record("a", 1));
    customers.records().insert(record("b", 1));
    raise(NEW_ONLY);
    assertEquals(1, run("DELETE FROM {table} WHERE id = 'a'"));
    assertEquals(0, run("TRUNCATE {table}"));
    assertEquals(Optional.empty(), oldRecords());
  }

  /// The rotation was aborted; its rewrapper has an old copy of the record and writes it in a
  /// batch.
  @Test
  void zombieRewrapperAfterAbort_isRefused() throws SQLException {
    StoredRecord read = record("a", 1, 1);
    customers.records().insert(read);
    raise(fence(6, 1));
    try (Connection writer = customers.connectAsApplication()) {
      assertRefused(() -> update(writer, "a", 2));
    }
    assertEquals(
        new Stored(), customers.records().compareAndSet(new RecordChange(read, fields(1, 1))));
  }

  @Test
  void lateFenceOfLowerEpoch_changesNothing() throws SQLException {
    raise(NEW_ONLY);
    assertEquals(new Refused(NEW_ONLY), customers.records().fence(fence(4, 1)));
    try (Connection writer = customers.connectAsApplication()) {
      assertRefused(() -> insert(writer, "late", 1));
      insert(writer, "new", 2);
    }
  }

  @Test
  void removedFence_isReportedAndRaisedAgain() throws SQLException {
    raise(NEW_ONLY);
    sql("ALTER TABLE {table} DISABLE TRIGGER ALL");
    assertTrue(removedFenceCheck().contains(customers.table()), this::removedFenceCheck);
    raise(NEW_ONLY);
    assertEquals("", removedFenceCheck());
    sql("DROP TRIGGER keyfleet_fence ON {table}");
    assertTrue(removedFenceCheck().contains(customers.table()), this::removedFenceCheck);
    raise(NEW_ONLY);
    try (Connection writer = customers.connectAsApplication()) {
      assertRefused(() -> insert(writer, "late", 1));
    }
    String function =
        sql("SELECT tgfoid::regproc FROM pg_trigger WHERE tgrelid = '{table}'::regclass");
    sql(
        "CREATE OR REPLACE FUNCTION "
            + function
            + "() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'");
    assertTrue(removedFenceCheck().contains(customers.table()), this::removedFenceCheck);
  }

  /// A long read must neither wait for a fence nor delay one.
  @Test
  void openReader_doesNotBlockTheFence() throws SQLException {
    try (Connection reader = customers.connectAsApplication()) {
      reader.setAutoCommit(false);
      assertEquals(0, count(reader));
      raise(NEW_ONLY);
      String trigger = sql("SELECT oid FROM pg_trigger WHERE tgrelid = '{table}'::regclass");
      raise(fence(6, 2, 3));
      assertEquals(trigger, sql("SELECT oid FROM pg_trigger WHERE tgrelid = '{table}'::regclass"));
      assertEquals(0, count(reader));
    }
  }

  private String sql(String sql) {
    return customers
        .server()
        .execute(CustomersTable.DATABASE, sql.replace("{table}", customers.table()));
  }

  private String removedFenceCheck() {
    StoreUrl url = StoreUrl.parse(customers.server().url(CustomersTable.DATABASE, ""));
    try (PostgresEngine another = PostgresEngine.open(url)) {
      return another.storeChecks().stream()
          .filter(it ->
              it.sentence().contains(customers.table()) && it.level() == StoreCheck.Level.FAIL)
          .map(StoreCheck::sentence)
          .findFirst()
          .orElse("");
    }
  }

  private interface SqlWrite {
    void write() throws SQLException;
  }

  private static void assertRefused(SqlWrite write) {
    SQLException e = assertThrows(SQLException.class, write::write);
    assertEquals(FenceSql.SQL_STATE, e.getSQLState(), e::getMessage);
  }

  private void raise(Fence fence) {
    assertEquals(new Raised(), customers.records().fence(fence));
  }

  private CompletableFuture<FenceResult> raiseAsync(Fence fence) {
    return CompletableFuture.supplyAsync(() -> customers.records().fence(fence));
  }

  /// Waits until a session waits for the table's lock.
  private void awaitBarrier() {
    String waiting =
        "SELECT count(*) FROM pg_locks, pg_sleep(0.02) WHERE NOT granted AND relation = '%s'::regclass"
            .formatted(customers.table());
    int tries = 0;
    while (customers.server().execute(CustomersTable.DATABASE, waiting).equals("0")) {
      assertTrue(tries++ < 500, "no fence waits for its table lock");
    }
  }

  private Optional<Long> oldRecords() {
    return Optional.ofNullable(customers.records().census().carrying().get(v(1)));
  }

  private PreparedStatement prepareInsert(Connection writer) throws SQLException {
    return writer.prepareStatement(
        "INSERT INTO %s (id, f0) VALUES (?, ?)".formatted(customers.table()));
  }

  private void insert(Connection writer, String id, int version) throws SQLException {
    try (PreparedStatement statement = prepareInsert(writer)) {
      assertEquals(1, executeInsert(statement, id, version));
    }
  }

  private static int executeInsert(PreparedStatement statement, String id, int version)
      throws SQLException {
    statement.setString(1, new RecordId(id).value());
    statement.setBytes(2, sealed(version).toArray());
    return statement.executeUpdate();
  }

  private void update(Connection writer, String id, int version) throws SQLException {
    try (PreparedStatement statement =
        writer.prepareStatement("UPDATE %s SET f0 = ? WHERE id = ?".formatted(customers.table()))) {
      statement.setBytes(1, sealed(version).toArray());
      statement.setString(2, id);
      assertEquals(1, statement.executeUpdate());
    }
  }

  private int run(String sql) throws SQLException {
    try (Connection writer = customers.connectAsApplication();
        Statement statement = writer.createStatement()) {
      return statement.executeUpdate(sql.replace("{table}", customers.table()));
    }
  }

  private int count(Connection reader) throws SQLException {
    try (Statement statement = reader.createStatement();
        var found = statement.executeQuery("SELECT count(*) FROM " + customers.table())) {
      found.next();
      return found.getInt(1);
    }
  }

  private static String literal(int version) {
    return "decode('" + HexFormat.of().formatHex(sealed(version).toArray()) + "', 'hex')";
  }
}
