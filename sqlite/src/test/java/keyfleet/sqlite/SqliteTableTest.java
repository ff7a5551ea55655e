package keyfleet.sqlite;

import static keyfleet.sqlite.SqliteTestFolder.CUSTOMERS;
import static keyfleet.store.StoreFixtures.v;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import keyfleet.store.Census;
import keyfleet.store.CollectionShape;
import keyfleet.store.FenceResult;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.StoreException;
import keyfleet.store.StoreFixtures;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoredRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a table must look like, and how rows that cannot be records are treated.
class SqliteTableTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CREATE TABLE other (id TEXT PRIMARY KEY) | has no table customers",
        "CREATE VIEW customers AS SELECT 1 AS id | has no table customers",
        "CREATE TABLE customers (f0 BLOB, f1 BLOB, f2 BLOB) | table customers has no column id",
        "CREATE TABLE customers (id TEXT PRIMARY KEY, f0 BLOB, f2 BLOB) | has no column f1",
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, f0 BLOB, f1 BLOB, f2 BLOB)"
            + " | column id of table customers is INTEGER, not TEXT",
        "CREATE TABLE customers (id TEXT PRIMARY KEY, f0 BLOB, f1 TEXT, f2 BLOB)"
            + " | column f1 of table customers is TEXT, not BLOB",
        "CREATE TABLE customers (id TEXT PRIMARY KEY, f0 BLOB, f1 BLOB, f2 BLOB AS (f1))"
            + " | has no column f2",
        "CREATE TABLE customers (id TEXT, f0 BLOB, f1 BLOB, f2 BLOB)"
            + " | two records of table customers could have one id",
        "CREATE TABLE customers (id TEXT PRIMARY KEY COLLATE NOCASE, f0 BLOB, f1 BLOB, f2 BLOB)"
            + " | two records of table customers could have one id",
      })
  void tableOfAnotherShape_isRefused(String sql, String sentence) {
    try (SqliteTestFolder folder = new SqliteTestFolder()) {
      folder.sql(sql);
      try (SqliteEngine engine = folder.openEngine()) {
        StoreRefusedException refused =
            assertThrows(StoreRefusedException.class, () -> engine.records(CUSTOMERS));
        assertTrue(refused.getMessage().contains(sentence), refused::getMessage);
        assertTrue(!refused.remedy().isEmpty());
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "CREATE TABLE Customers (ID VARCHAR(36) PRIMARY KEY, F0 BLOB, f1, f2 LONGBLOB)",
        "CREATE TABLE customers (id TEXT PRIMARY KEY, f0 BLOB, f1 BLOB, f2 BLOB) WITHOUT ROWID",
        "CREATE TABLE customers (n INTEGER PRIMARY KEY, id TEXT UNIQUE, f0 BLOB, f1 BLOB, f2 BLOB)",
        "CREATE TABLE customers (id TEXT PRIMARY KEY, f0 BLOB, f1 BLOB, f2 BLOB) STRICT",
      })
  void tableOfThatShape_isAccepted(String sql) {
    try (SqliteTestFolder folder = new SqliteTestFolder()) {
      folder.sql(sql);
      try (SqliteEngine engine = folder.openEngine()) {
        Records records = engine.records(CUSTOMERS);
        assertEquals(new RecordWriteResult.Stored(), records.insert(StoreFixtures.record(1, 1, 2)));
        assertEquals(new FenceResult.Raised(), records.fence(StoreFixtures.fence(1, 2)));
        assertEquals(
            List.of(StoreFixtures.id(1)),
            records.scan(v(1), 5).stream().map(StoredRecord::id).toList());
      }
    }
  }

  /// Without a text id a record cannot be addressed or rewrapped; the census counts it, and a scan
  /// fails.
  @ParameterizedTest
  @ValueSource(strings = {"NULL", "''", "x'6162'"})
  void recordWithoutTextId_isCountedAndFailsTheScan(String id) {
    try (SqliteTestFolder folder = new SqliteTestFolder()) {
      folder.sql(
          SqliteTestFolder.CREATE_CUSTOMERS,
          "INSERT INTO customers (id, f0) VALUES (%s, x'%s')"
              .formatted(id, HexFormat.of().formatHex(StoreFixtures.sealed(1).toArray())));
      try (SqliteEngine engine = folder.openEngine()) {
        Records records = engine.records(CUSTOMERS);
        assertEquals(1L, records.census().belonging().get(v(1)));
        assertThrows(StoreRefusedException.class, () -> records.scan(v(1), 5));
      }
    }
  }

  @Test
  void ownCollection_isCreatedOnce() {
    try (SqliteTestFolder folder = new SqliteTestFolder();
        SqliteEngine engine = folder.openEngine()) {
      engine.createCollection(CUSTOMERS);
      StoredRecord record = StoreFixtures.record(1, 1, 2);
      assertEquals(new RecordWriteResult.Stored(), engine.records(CUSTOMERS).insert(record));
      engine.createCollection(CUSTOMERS);
      assertEquals(Optional.of(record), engine.records(CUSTOMERS).read(record.id()));
    }
  }

  @Test
  void ownCollectionWithVersionField_hasAnIndexOnIt() throws SQLException {
    CollectionShape versioned = CUSTOMERS.withVersionField("kek_version");
    try (SqliteTestFolder folder = new SqliteTestFolder();
        SqliteEngine engine = folder.openEngine();
        Connection application = folder.connect()) {
      engine.createCollection(versioned);
      engine.createCollection(versioned);
      engine.records(versioned).insert(StoreFixtures.record(1, 3, 2));
      String lookup = "FROM customers WHERE kek_version = 2";
      assertEquals("1", SqliteTestFolder.query(application, "SELECT count(*) " + lookup));
      assertEquals(
          "1",
          SqliteTestFolder.query(
              application,
              "SELECT count(*) FROM pragma_index_info('customers_kek_version') WHERE name = 'kek_version'"));
    }
  }

  /// Also behind a fence, with records that were there before.
  @Test
  void ownCollectionOfAnEarlierBuild_gainsTheVersionField() throws SQLException {
    CollectionShape versioned = CUSTOMERS.withVersionField("kek_version");
    try (SqliteTestFolder folder = new SqliteTestFolder();
        SqliteEngine engine = folder.openEngine();
        Connection application = folder.connect()) {
      engine.createCollection(CUSTOMERS);
      StoredRecord record = StoreFixtures.record(1, 1, 2);
      engine.records(CUSTOMERS).insert(record);
      engine.records(CUSTOMERS).fence(StoreFixtures.fence(1, 1, 2));
      engine.createCollection(versioned);
      engine.createCollection(versioned);
      Records records = engine.records(versioned);
      assertEquals(1, records.census().mismatched());
      records.compareAndSet(new RecordChange(record, record.fields()));
      assertEquals(0, records.census().mismatched());
      assertEquals(
          "1",
          SqliteTestFolder.query(
              application, "SELECT count(*) FROM customers WHERE kek_version = 1"));
      assertTrue(
          SqliteTestFolder.queryPlan(
                  application, "SELECT count(*) FROM customers WHERE kek_version = 1")
              .contains("customers_kek_version"));
    }
  }

  @Test
  void versionFieldThatIsNotThere_isRefused() {
    try (SqliteTestFolder folder = new SqliteTestFolder()) {
      folder.sql(SqliteTestFolder.CREATE_CUSTOMERS);
      try (SqliteEngine engine = folder.openEngine()) {
        StoreRefusedException refused =
            assertThrows(
                StoreRefusedException.class,
                () -> engine.records(CUSTOMERS.withVersionField("kek_version")));
        assertEquals("table customers has no column kek_version", refused.getMessage());
        assertEquals(
            "ALTER TABLE \"customers\" ADD COLUMN \"kek_version\" INTEGER", refused.remedy());
      }
    }
  }

  @Test
  void rowThatViolatesAConstraint_isNotStored() {
    try (SqliteTestFolder folder = new SqliteTestFolder()) {
      folder.sql(
          """
          CREATE TABLE customers (
            id TEXT PRIMARY KEY, f0 BLOB, f1 BLOB, f2 BLOB, name TEXT NOT NULL)
          """);
      try (SqliteEngine engine = folder.openEngine()) {
        Records records = engine.records(CUSTOMERS);
        assertThrows(StoreException.class, () -> records.insert(StoreFixtures.record(1, 1)));
        assertEquals(Census.of(List.of()), records.census());
      }
    }
  }

  @Test
  void fieldThatTheShapeDoesNotName_isABug() {
    try (SqliteTestFolder folder = new SqliteTestFolder()) {
      folder.sql(SqliteTestFolder.CREATE_CUSTOMERS);
      try (SqliteEngine engine = folder.openEngine()) {
        Records records = engine.records(CUSTOMERS);
        assertThrows(
            IllegalArgumentException.class,
            () -> records.insert(StoreFixtures.record(1, 1, 1, 1, 1)));
      }
    }
  }
}
