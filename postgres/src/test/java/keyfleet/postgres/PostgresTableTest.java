package keyfleet.postgres;

import static keyfleet.store.StoreFixtures.fence;
import static keyfleet.store.StoreFixtures.record;
import static keyfleet.store.StoreFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.store.CollectionShape;
import keyfleet.store.Conflict;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoredRecord;
import keyfleet.store.engine.StoreUrl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Which tables of an application can be used, and the errors for the others.
class PostgresTableTest {
  private static final String DATABASE = "tables";
  private static final PostgresTestServer SERVER = PostgresTestServer.shared();
  private static PostgresEngine engine;

  @BeforeAll
  static void createTables() {
    SERVER.execute("postgres", "CREATE DATABASE " + DATABASE);
    SERVER.execute(
        DATABASE,
        "CREATE TABLE good (id text PRIMARY KEY, f0 bytea)",
        "CREATE TABLE \"Odd-Name\" (\"Id\" uuid PRIMARY KEY, \"F-0\" bytea)",
        "CREATE TABLE numbered (id bigint PRIMARY KEY, f0 bytea)",
        "CREATE TABLE strict (id text PRIMARY KEY, f0 bytea, name text NOT NULL)",
        "CREATE TABLE loose (id text, f0 bytea)",
        "CREATE TABLE partly (id text, f0 bytea)",
        "CREATE UNIQUE INDEX ON partly (id) WHERE f0 IS NOT NULL",
        "CREATE TABLE paired (id text, f0 bytea, region text, PRIMARY KEY (id, region))",
        "CREATE TABLE texts (id text PRIMARY KEY, f0 text)",
        "CREATE TABLE dated (id date PRIMARY KEY, f0 bytea)",
        "CREATE UNLOGGED TABLE brief (id text PRIMARY KEY, f0 bytea)",
        "CREATE VIEW seen AS SELECT * FROM good",
        "CREATE TABLE parent (id text PRIMARY KEY, f0 bytea)",
        "CREATE TABLE child () INHERITS (parent)",
        "CREATE ROLE guest LOGIN",
        "GRANT CREATE ON DATABASE tables TO guest",
        "CREATE TABLE hidden (id text PRIMARY KEY, f0 bytea)",
        "ALTER TABLE hidden ENABLE ROW LEVEL SECURITY",
        "GRANT ALL ON hidden, good TO guest");
    engine = PostgresEngine.open(StoreUrl.parse(SERVER.url(DATABASE, "")));
  }

  @AfterAll
  static void close() {
    engine.close();
  }

  @ParameterizedTest
  @CsvSource({
    "absent, id, f0, there is no table absent",
    "good, nr, f0, table good has no column nr",
    "good, id, f1, table good has no column f1",
    "texts, id, f0, 'column f0 of table texts is text, not bytea'",
    "dated, id, f0, column id of table dated is date",
    "loose, id, f0, column id of table loose is not unique",
    "partly, id, f0, column id of table partly is not unique",
    "paired, id, f0, column id of table paired is not unique",
    "brief, id, f0, brief is not a permanent table",
    "seen, id, f0, seen is not a table",
    "parent, id, f0, parent is inherited",
  })
  void unsuitableTable_isRefusedWithTheReason(
      String table, String id, String field, String sentence) {
    StoreRefusedException e =
        assertThrows(StoreRefusedException.class, () -> engine.records(shape(table, id, field)));
    assertTrue(e.getMessage().startsWith(sentence), e::getMessage);
  }

  @Test
  void tableWithHiddenRows_isRefused() {
    try (PostgresEngine guest = openAsGuest()) {
      StoreRefusedException e =
          assertThrows(
              StoreRefusedException.class, () -> guest.records(shape("hidden", "id", "f0")));
      assertTrue(e.getMessage().contains("row security"), e::getMessage);
    }
  }

  @Test
  void roleThatDoesNotOwnTheTable_getsARemedy() {
    try (PostgresEngine guest = openAsGuest()) {
      Records records = guest.records(shape("good", "id", "f0"));
      StoreRefusedException e =
          assertThrows(StoreRefusedException.class, () -> records.fence(fence(1, 1)));
      assertTrue(e.getMessage().contains("may not fence table"), e::getMessage);
      assertTrue(e.remedy().contains("OWNER TO"), e::remedy);
    }
  }

  @Test
  void numericIds_areScannedInNumericOrder() {
    Records records = engine.records(shape("numbered", "id", "f0"));
    for (String id : List.of("9", "10", "-3", "100")) {
      assertEquals(new Stored(), records.insert(record(id, 1)));
    }
    assertEquals(new Conflict(), records.insert(record("10", 1)));
    assertEquals(List.of("-3", "9"), ids(records.scan(v(1), 2)));
    assertEquals(List.of("10", "100"), ids(records.scan(v(1), new RecordId("9"), 5)));
    assertEquals(List.of("-3"), ids(List.of(records.read(new RecordId("-3")).orElseThrow())));
    assertThrows(IllegalArgumentException.class, () -> records.read(new RecordId("ten")));
  }

  @Test
  void mixedCaseNames_areKept() {
    Records records = engine.records(shape("Odd-Name", "Id", "F-0"));
    assertEquals(List.of(), records.scan(v(1), 5));
    records.fence(fence(1, 2));
    assertEquals(fence(1, 2), records.fence().orElseThrow());
  }

  @Test
  void recordThatViolatesAConstraint_isRefused() {
    Records records = engine.records(shape("strict", "id", "f0"));
    StoreRefusedException e =
        assertThrows(StoreRefusedException.class, () -> records.insert(record("a", 1)));
    assertTrue(e.getMessage().contains("name"), e::getMessage);
  }

  private static PostgresEngine openAsGuest() {
    String url =
        "postgresql://guest@127.0.0.1:%d/%s?schema=guests".formatted(SERVER.port(), DATABASE);
    return PostgresEngine.open(StoreUrl.parse(url));
  }

  private static CollectionShape shape(String table, String id, String field) {
    return new CollectionShape(table, id, new TreeSet<>(Set.of(field)));
  }

  private static List<String> ids(List<StoredRecord> records) {
    return records.stream().map(it -> it.id().value()).toList();
  }

  @Test
  void ownCollection_isCreatedOnceAndUsable() {
    CollectionShape shape =
        new CollectionShape("own-Secrets", "name", new TreeSet<>(List.of("f0")));
    engine.createCollection(shape);
    StoredRecord kept = record("a", 1);
    assertEquals(new Stored(), engine.records(shape).insert(kept));
    engine.createCollection(shape);
    assertEquals(kept, engine.records(shape).read(kept.id()).orElseThrow());
  }

  @Test
  void missingColumns_areAddedByTheRemedy() {
    SERVER.execute(DATABASE, "CREATE TABLE \"late-Orders\" (id text PRIMARY KEY)");
    CollectionShape shape = shape("late-Orders", "id", "f0").withVersionField("kek_version");
    for (String column : List.of("f0", "kek_version")) {
      StoreRefusedException e =
          assertThrows(StoreRefusedException.class, () -> engine.records(shape));
      assertEquals("table late-Orders has no column " + column, e.getMessage());
      SERVER.execute(DATABASE, e.remedy());
    }
    assertEquals(new Stored(), engine.records(shape).insert(record("a", 1)));
  }

  @Test
  void versionFieldOfAnotherType_isRefused() {
    CollectionShape shape = shape("strict", "id", "f0").withVersionField("name");
    StoreRefusedException e =
        assertThrows(StoreRefusedException.class, () -> engine.records(shape));
    assertEquals("column name of table strict is text, not bigint or integer", e.getMessage());
  }

  @Test
  void ownCollectionOfAnEarlierBuild_gainsTheVersionField() {
    CollectionShape shape = shape("own-earlier", "name", "f0");
    engine.createCollection(shape);
    StoredRecord kept = record("a", 1);
    engine.records(shape).insert(kept);
    engine.records(shape).fence(fence(1, 1));
    CollectionShape versioned = shape.withVersionField("kek_version");
    engine.createCollection(versioned);
    engine.createCollection(versioned);
    Records records = engine.records(versioned);
    assertEquals(1, records.census().mismatched());
    assertEquals(new Stored(), records.compareAndSet(new RecordChange(kept, kept.fields())));
    assertEquals(0, records.census().mismatched());
    assertEquals(
        "1",
        SERVER.execute(DATABASE, "SELECT count(*) FROM \"own-earlier\" WHERE kek_version = 1"));
    assertEquals(
        "1",
        SERVER.execute(
            DATABASE,
            "SELECT count(*) FROM pg_indexes WHERE indexname = 'own-earlier_kek_version'"));
  }

  /// A role that only writes records may use the collection that its owner has created.
  @Test
  void ownCollection_needsNoOwnerOnceItIsThere() {
    CollectionShape shape = shape("own_shared", "name", "f0").withVersionField("kek_version");
    engine.createCollection(shape);
    SERVER.execute(DATABASE, "GRANT SELECT, INSERT, UPDATE ON own_shared TO guest");
    try (PostgresEngine guest = openAsGuest()) {
      guest.createCollection(shape);
      assertEquals(new Stored(), guest.records(shape).insert(record("a", 1)));
    }
  }
}
