package keyfleet.postgres;

import static keyfleet.postgres.PostgresFixtures.fence;
import static keyfleet.postgres.PostgresFixtures.fields;
import static keyfleet.postgres.PostgresFixtures.record;
import static keyfleet.postgres.PostgresFixtures.sealed;
import static keyfleet.postgres.PostgresFixtures.v;
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
import keyfleet.store.FenceResult.StaleTerm;
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

/// The fence against writers that know nothing of Keyfleet. As in the contract, 1 is the version
/// left behind and 2 the one that took over.
class PostgresFenceTest {
  private static final Fence N_ONLY = fence(5, 2);
  private static final int LIMIT_SECONDS = 20;

  private final CustomersTable customersTable = new CustomersTable();

  @AfterEach
  void close() {
    customersTable.close();
  }

  /// A first fence makes the trigger, a later one only replaces its function.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oldWriterWithOpenTransaction_isWaitedForAndCounted(boolean again) throws SQLException {
    if (again) {
      raise(fence(4, 1, 2));
    }
    try (Connection writer = customersTable.connectAsApplication()) {
      writer.setAutoCommit(false);
      insert(writer, "early", 1);
      CompletableFuture<FenceResult> raising = raiseAsync(N_ONLY);
      awaitBarrier();
      try (Connection reader = customersTable.connectAsApplication()) {
        assertEquals(0, count(reader), "a reader is not stopped, and sees no open transaction");
      }
      insert(writer, "early too", 1);
      writer.commit();
      assertEquals(new Raised(), raising.orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS).join());
      assertEquals(2L, customersTable.records().census().belonging().get(v(1)));
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
    customersTable.records().insert(record("moved", 2));
    try (Connection writer = customersTable.connectAsApplication()) {
      writer.setTransactionIsolation(isolation);
      writer.setAutoCommit(false);
      assertEquals(1, count(writer)); // its snapshot is from before the fence
      raise(N_ONLY);
      assertEquals(Optional.empty(), oldRecords());
      assertRefused(() -> insert(writer, "late", 1));
      writer.rollback();
      assertEquals(1, count(writer));
      assertRefused(() -> update(writer, "moved", 1));
      writer.rollback();
      assertEquals(Optional.empty(), oldRecords());
    }
  }

  @Test
  void preparedStatementFromBeforeTheFence_isRefused() throws SQLException {
    try (Connection writer = customersTable.connectAsApplication();
        PreparedStatement statement = prepareInsert(writer)) {
      for (int i = 0; i < 20; i++) { // well past the threshold of a plan kept by the server
        assertEquals(1, executeInsert(statement, "early " + i, 1));
      }
      raise(N_ONLY);
      assertRefused(() -> executeInsert(statement, "late", 1));
      assertEquals(1, executeInsert(statement, "new", 2));
      raise(fence(6, 3));
      assertRefused(() -> executeInsert(statement, "new again", 2));
    }
  }

  @Test
  void writerThatNeverEnds_isNamedInTheError() throws SQLException {
    try (Connection writer = customersTable.connectAsApplication()) {
      writer.setAutoCommit(false);
      insert(writer, "open", 1);
      String session = Integer.toString(writer.unwrap(PGConnection.class).getBackendPID());
      StoreException e = assertThrows(StoreException.class, () -> raise(N_ONLY));
      assertTrue(e.getMessage().contains(session), e::getMessage);
      assertEquals(Optional.empty(), customersTable.records().fence());
      writer.commit();
      raise(N_ONLY);
    }
  }

  @Test
  void unrelatedColumnAndId_ofAnOldRowMayChange() throws SQLException {
    customersTable.records().insert(record("old", 1, 1));
    raise(N_ONLY);
    assertEquals(1, run("UPDATE {table} SET address = 'new' WHERE id = 'old'"));
    assertEquals(1, run("UPDATE {table} SET id = 'renamed', address = f0::text WHERE id = 'old'"));
    assertEquals(1, run("UPDATE {table} SET f0 = f0, f1 = f1, f2 = NULL"));
    assertEquals(1L, customersTable.records().census().belonging().get(v(1)));
  }

  @Test
  void upsert_isCheckedByWhatItDoes() throws SQLException {
    customersTable.records().insert(record("old", 1));
    customersTable.records().insert(record("moved", 2));
    raise(N_ONLY);
    String upsert =
        "INSERT INTO {table} (id, f0) VALUES ('%s', %s) ON CONFLICT (id) DO UPDATE SET f0 ="
            + " excluded.f0";
    assertEquals(1, run(upsert.formatted("old", literal(1))));
    assertRefused(() -> run(upsert.formatted("moved", literal(1))));
    assertRefused(() -> run(upsert.formatted("absent", literal(1))));
    assertEquals(1, run(upsert.formatted("absent", literal(2))));
  }

  @Test
  void copy_isRefused() throws SQLException {
    raise(N_ONLY);
    try (Connection writer = customersTable.connectAsApplication()) {
      String row = "copied\t\\\\x" + HexFormat.of().formatHex(sealed(1)) + "\n";
      assertRefused(() -> {
        try {
          writer
              .unwrap(PGConnection.class)
              .getCopyAPI()
              .copyIn(
                  "COPY %s (id, f0) FROM STDIN".formatted(customersTable.table()),
                  new ByteArrayInputStream(row.getBytes(StandardCharsets.UTF_8)));
        } catch (IOException e) {
          throw new IllegalStateException(e);
        }
      });
    }
  }

  @Test
  void replicationSession_isRefused() throws SQLException {
    raise(N_ONLY);
    try (Connection writer = customersTable.server().connect(CustomersTable.DATABASE);
        Statement statement = writer.createStatement()) {
      statement.execute("SET session_replication_role = replica");
      assertRefused(() -> insert(writer, "late", 1));
    }
  }

  /// To this session all bytes are equal.
  @Test
  void sessionWithItsOwnOperators_isRefused() throws SQLException {
    raise(N_ONLY);
    sql("CREATE SCHEMA trick AUTHORIZATION clerk");
    sql("CREATE FUNCTION trick.yes(bytea, bytea) RETURNS boolean LANGUAGE sql AS 'SELECT true'");
    sql("CREATE OPERATOR trick.= (LEFTARG = bytea, RIGHTARG = bytea, FUNCTION = trick.yes)");
    try (Connection writer = customersTable.connectAsApplication();
        Statement statement = writer.createStatement()) {
      statement.execute("SET search_path = trick, public, pg_catalog");
      statement.execute("SET standard_conforming_strings = off");
      assertRefused(() -> insert(writer, "late", 1));
    }
  }

  /// A trigger of the application that runs after any other may still change the row.
  @Test
  void rowChangedByAnotherTrigger_isRefused() throws SQLException {
    customersTable
        .server()
        .execute(
            CustomersTable.DATABASE,
            "CREATE FUNCTION make_old_%1$s() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.f0 := %2$s; RETURN NEW; END $$"
                .formatted(customersTable.table(), literal(1)),
            "CREATE TRIGGER zzz BEFORE INSERT ON %1$s FOR EACH ROW EXECUTE FUNCTION make_old_%1$s()"
                .formatted(customersTable.table()));
    raise(N_ONLY);
    try (Connection writer = customersTable.connectAsApplication()) {
      assertRefused(() -> insert(writer, "new", 2));
    }
  }

  @Test
  void deleteAndTruncate_areAccepted() throws SQLException {
    customersTable.records().insert(record("a", 1));
    customersTable.records().insert(record("b", 1));
    raise(N_ONLY);
    assertEquals(1, run("DELETE FROM {table} WHERE id = 'a'"));
    assertEquals(0, run("TRUNCATE {table}"));
    assertEquals(Optional.empty(), oldRecords());
  }

  /// The rotation was aborted; its rewrapper had read the record long ago and writes in one batch.
  @Test
  void zombieRewrapperAfterAbort_isRefused() throws SQLException {
    StoredRecord read = record("a", 1, 1);
    customersTable.records().insert(read);
    raise(fence(6, 1));
    try (Connection writer = customersTable.connectAsApplication()) {
      assertRefused(() -> update(writer, "a", 2));
    }
    assertEquals(
        new Stored(), customersTable.records().compareAndSet(new RecordChange(read, fields(1, 1))));
  }

  @Test
  void lateFenceOfLowerEpoch_changesNothing() throws SQLException {
    raise(N_ONLY);
    assertEquals(new StaleTerm(N_ONLY), customersTable.records().fence(fence(4, 1)));
    try (Connection writer = customersTable.connectAsApplication()) {
      assertRefused(() -> insert(writer, "late", 1));
      insert(writer, "new", 2);
    }
  }

  @Test
  void removedFence_isReportedAndRaisedAgain() throws SQLException {
    raise(N_ONLY);
    sql("ALTER TABLE {table} DISABLE TRIGGER ALL");
    assertTrue(removedFenceCheck().contains(customersTable.table()), this::removedFenceCheck);
    raise(N_ONLY);
    assertEquals("", removedFenceCheck());
    sql("DROP TRIGGER keyfleet_fence ON {table}");
    assertTrue(removedFenceCheck().contains(customersTable.table()), this::removedFenceCheck);
    raise(N_ONLY);
    try (Connection writer = customersTable.connectAsApplication()) {
      assertRefused(() -> insert(writer, "late", 1));
    }
    String function =
        sql("SELECT tgfoid::regproc FROM pg_trigger WHERE tgrelid = '{table}'::regclass");
    sql(
        "CREATE OR REPLACE FUNCTION "
            + function
            + "() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'");
    assertTrue(removedFenceCheck().contains(customersTable.table()), this::removedFenceCheck);
  }

  /// A long report must neither wait for a fence nor hold one up.
  @Test
  void openReader_doesNotBlockTheFence() throws SQLException {
    try (Connection reader = customersTable.connectAsApplication()) {
      reader.setAutoCommit(false);
      assertEquals(0, count(reader));
      raise(N_ONLY);
      String trigger = sql("SELECT oid FROM pg_trigger WHERE tgrelid = '{table}'::regclass");
      raise(fence(6, 2, 3));
      assertEquals(trigger, sql("SELECT oid FROM pg_trigger WHERE tgrelid = '{table}'::regclass"));
      assertEquals(0, count(reader));
    }
  }

  private String sql(String sql) {
    return customersTable
        .server()
        .execute(CustomersTable.DATABASE, sql.replace("{table}", customersTable.table()));
  }

  private String removedFenceCheck() {
    StoreUrl url = StoreUrl.parse(customersTable.server().url(CustomersTable.DATABASE, ""));
    try (PostgresEngine another = PostgresEngine.open(url)) {
      return another.storeChecks().stream()
          .filter(it ->
              it.sentence().contains(customersTable.table()) && it.level() == StoreCheck.Level.FAIL)
          .map(StoreCheck::sentence)
          .findFirst()
          .orElse("");
    }
  }

  private interface SqlWrite {
    void write() throws SQLException;
  }

  private static void assertRefused(SqlWrite sqlWrite) {
    SQLException e = assertThrows(SQLException.class, sqlWrite::write);
    assertEquals(FenceSql.SQL_STATE, e.getSQLState(), e::getMessage);
  }

  private void raise(Fence fence) {
    assertEquals(new Raised(), customersTable.records().fence(fence));
  }

  private CompletableFuture<FenceResult> raiseAsync(Fence fence) {
    return CompletableFuture.supplyAsync(() -> customersTable.records().fence(fence));
  }

  /// Until someone waits for the table's lock.
  private void awaitBarrier() {
    String waiting =
        "SELECT count(*) FROM pg_locks, pg_sleep(0.02) WHERE NOT granted AND relation = '%s'::regclass"
            .formatted(customersTable.table());
    int tries = 0;
    while (customersTable.server().execute(CustomersTable.DATABASE, waiting).equals("0")) {
      assertTrue(tries++ < 500, "no fence waits for its barrier");
    }
  }

  private Optional<Long> oldRecords() {
    return Optional.ofNullable(customersTable.records().census().carrying().get(v(1)));
  }

  private PreparedStatement prepareInsert(Connection writer) throws SQLException {
    return writer.prepareStatement(
        "INSERT INTO %s (id, f0) VALUES (?, ?)".formatted(customersTable.table()));
  }

  private void insert(Connection writer, String id, int version) throws SQLException {
    try (PreparedStatement statement = prepareInsert(writer)) {
      assertEquals(1, executeInsert(statement, id, version));
    }
  }

  private static int executeInsert(PreparedStatement statement, String id, int version)
      throws SQLException {
    statement.setString(1, new RecordId(id).value());
    statement.setBytes(2, sealed(version));
    return statement.executeUpdate();
  }

  private void update(Connection writer, String id, int version) throws SQLException {
    try (PreparedStatement statement =
        writer.prepareStatement(
            "UPDATE %s SET f0 = ? WHERE id = ?".formatted(customersTable.table()))) {
      statement.setBytes(1, sealed(version));
      statement.setString(2, id);
      assertEquals(1, statement.executeUpdate());
    }
  }

  private int run(String sql) throws SQLException {
    try (Connection writer = customersTable.connectAsApplication();
        Statement statement = writer.createStatement()) {
      return statement.executeUpdate(sql.replace("{table}", customersTable.table()));
    }
  }

  private int count(Connection reader) throws SQLException {
    try (Statement statement = reader.createStatement();
        var found = statement.executeQuery("SELECT count(*) FROM " + customersTable.table())) {
      found.next();
      return found.getInt(1);
    }
  }

  private static String literal(int version) {
    return "decode('" + HexFormat.of().formatHex(sealed(version)) + "', 'hex')";
  }
}
