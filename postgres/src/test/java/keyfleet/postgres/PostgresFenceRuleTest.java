package keyfleet.postgres;

import static keyfleet.store.StoreFixtures.fence;
import static keyfleet.store.StoreFixtures.fields;
import static keyfleet.store.StoreFixtures.sealed;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Random;
import java.util.TreeMap;
import keyfleet.store.Bytes;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.RecordId;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The trigger and [Fence#isChangeAllowed] agree on every change.
class PostgresFenceRuleTest {
  private static final int ROWS = 150;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void randomChange_isAllowedByBothOrNeither(long seed) throws SQLException {
    Random random = new Random(seed);
    int refused = 0;
    try (CustomersTable customers = new CustomersTable();
        Connection writer = customers.connectAsApplication()) {
      SealedFields[] before = new SealedFields[ROWS];
      for (int i = 0; i < ROWS; i++) {
        before[i] = randomFields(random);
        customers.records().insert(new StoredRecord(new RecordId("r" + i), before[i]));
      }
      Fence fence = random.nextBoolean() ? fence(1, 2) : fence(1, 2, 4);
      assertEquals(new Raised(), customers.records().fence(fence));
      for (int i = 0; i < 2 * ROWS; i++) {
        SealedFields after = randomFields(random);
        SealedFields from = i < ROWS ? before[i] : SealedFields.NONE;
        boolean passed =
            i < ROWS
                ? isChangeAccepted(writer, customers, "r" + i, after)
                : isInsertAccepted(writer, customers, "n" + i, after);
        assertEquals(
            fence.isChangeAllowed(from, after),
            passed,
            "seed " + seed + ": " + describe(from) + " to " + describe(after) + " under " + fence);
        refused += passed ? 0 : 1;
      }
    }
    assertTrue(refused > ROWS / 2 && refused < 2 * ROWS - ROWS / 4, refused + " were refused");
  }

  @Test
  void partitions_areFenced() throws SQLException {
    try (CustomersTable customers =
        new CustomersTable(
            "(id text PRIMARY KEY, address text, f0 bytea, f1 bytea, f2 bytea) PARTITION BY HASH"
                + " (id)")) {
      String part = customers.table() + "_0";
      customers
          .server()
          .execute(
              CustomersTable.DATABASE,
              "CREATE TABLE %s PARTITION OF %s FOR VALUES WITH (MODULUS 1, REMAINDER 0)"
                  .formatted(part, customers.table()),
              "GRANT INSERT ON " + part + " TO shop_app");
      assertEquals(new Raised(), customers.records().fence(fence(1, 2)));
      try (Connection writer = customers.connectAsApplication()) {
        assertEquals(false, isInsertAccepted(writer, part, "a", one(1)));
        assertEquals(false, isInsertAccepted(writer, customers.table(), "b", one(1)));
        assertEquals(true, isInsertAccepted(writer, part, "c", one(2)));
      }
      assertEquals(
          "A",
          customers
              .server()
              .execute(
                  CustomersTable.DATABASE,
                  "SELECT string_agg(DISTINCT tgenabled::text, '') FROM pg_trigger WHERE tgrelid IN ('%s'::regclass, '%s'::regclass)"
                      .formatted(part, customers.table())));
    }
  }

  @Test
  void recordWithoutSealedFields_isAccepted() throws SQLException {
    try (CustomersTable customers = new CustomersTable();
        Connection writer = customers.connectAsApplication()) {
      assertEquals(new Raised(), customers.records().fence(fence(1, 2)));
      assertEquals(true, isInsertAccepted(writer, customers, "none", SealedFields.NONE));
    }
  }

  private static SealedFields one(int version) {
    return fields(version);
  }

  /// Each field is absent, not an envelope, or an envelope of version 1 to 4.
  private static SealedFields randomFields(Random random) {
    TreeMap<String, Bytes> byName = new TreeMap<>();
    for (int i = 0; i < 3; i++) {
      int kind = random.nextInt(7) - 1;
      if (kind >= 0) {
        byName.put("f" + i, kind == 0 ? Bytes.copyOf(new byte[100]) : sealed(1 + (kind - 1) % 4));
      }
    }
    return SealedFields.of(byName);
  }

  private static String describe(SealedFields fields) {
    return fields.versions() + (fields.hasUnreadable() ? " and garbage" : "");
  }

  private static boolean isChangeAccepted(
      Connection writer, CustomersTable customers, String id, SealedFields to) throws SQLException {
    return isAccepted(
        writer,
        "UPDATE %s SET f0 = ?, f1 = ?, f2 = ? WHERE id = ?".formatted(customers.table()),
        id,
        to);
  }

  private static boolean isInsertAccepted(
      Connection writer, CustomersTable customers, String id, SealedFields to) throws SQLException {
    return isInsertAccepted(writer, customers.table(), id, to);
  }

  private static boolean isInsertAccepted(
      Connection writer, String table, String id, SealedFields to) throws SQLException {
    return isAccepted(
        writer, "INSERT INTO %s (f0, f1, f2, id) VALUES (?, ?, ?, ?)".formatted(table), id, to);
  }

  private static boolean isAccepted(Connection writer, String sql, String id, SealedFields to)
      throws SQLException {
    try (PreparedStatement statement = writer.prepareStatement(sql)) {
      for (int i = 0; i < 3; i++) {
        Bytes field = to.byName().get("f" + i);
        statement.setBytes(i + 1, field == null ? null : field.toArray());
      }
      statement.setString(4, id);
      return statement.executeUpdate() == 1;
    } catch (SQLException e) {
      assertEquals(FenceSql.SQL_STATE, e.getSQLState(), e::getMessage);
      return false;
    }
  }
}
