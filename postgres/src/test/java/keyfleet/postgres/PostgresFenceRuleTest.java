package keyfleet.postgres;

import static keyfleet.postgres.PostgresFixtures.fence;
import static keyfleet.postgres.PostgresFixtures.sealed;
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

/// The trigger and [Fence#allows] say the same of any change.
class PostgresFenceRuleTest {
  private static final int ROWS = 150;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void randomChange_isAllowedByBothOrNeither(long seed) throws SQLException {
    Random random = new Random(seed);
    int refused = 0;
    try (CustomersTable customersTable = new CustomersTable();
        Connection writer = customersTable.connectAsApplication()) {
      SealedFields[] before = new SealedFields[ROWS];
      for (int i = 0; i < ROWS; i++) {
        before[i] = randomFields(random);
        customersTable.records().insert(new StoredRecord(new RecordId("r" + i), before[i]));
      }
      Fence fence = random.nextBoolean() ? fence(1, 2) : fence(1, 2, 4);
      assertEquals(new Raised(), customersTable.records().fence(fence));
      for (int i = 0; i < 2 * ROWS; i++) {
        SealedFields after = randomFields(random);
        SealedFields from = i < ROWS ? before[i] : SealedFields.NONE;
        boolean passed =
            i < ROWS
                ? isChangeAccepted(writer, customersTable, "r" + i, after)
                : isInsertAccepted(writer, customersTable, "n" + i, after);
        assertEquals(
            fence.allows(from, after),
            passed,
            "seed " + seed + ": " + describe(from) + " to " + describe(after) + " under " + fence);
        refused += passed ? 0 : 1;
      }
    }
    assertTrue(refused > ROWS / 2 && refused < 2 * ROWS - ROWS / 4, refused + " were refused");
  }

  @Test
  void partitions_areFenced() throws SQLException {
    try (CustomersTable customersTable =
        new CustomersTable(
            "(id text PRIMARY KEY, address text, f0 bytea, f1 bytea, f2 bytea) PARTITION BY HASH"
                + " (id)")) {
      String part = customersTable.table() + "_0";
      customersTable
          .server()
          .execute(
              CustomersTable.DATABASE,
              "CREATE TABLE %s PARTITION OF %s FOR VALUES WITH (MODULUS 1, REMAINDER 0)"
                  .formatted(part, customersTable.table()),
              "GRANT INSERT ON " + part + " TO clerk");
      assertEquals(new Raised(), customersTable.records().fence(fence(1, 2)));
      try (Connection writer = customersTable.connectAsApplication()) {
        assertEquals(false, isInsertAccepted(writer, part, "a", one(1)));
        assertEquals(false, isInsertAccepted(writer, customersTable.table(), "b", one(1)));
        assertEquals(true, isInsertAccepted(writer, part, "c", one(2)));
      }
      assertEquals(
          "A",
          customersTable
              .server()
              .execute(
                  CustomersTable.DATABASE,
                  "SELECT string_agg(DISTINCT tgenabled::text, '') FROM pg_trigger WHERE tgrelid IN ('%s'::regclass, '%s'::regclass)"
                      .formatted(part, customersTable.table())));
    }
  }

  @Test
  void recordWithoutSealedFields_isAccepted() throws SQLException {
    try (CustomersTable customersTable = new CustomersTable();
        Connection writer = customersTable.connectAsApplication()) {
      assertEquals(new Raised(), customersTable.records().fence(fence(1, 2)));
      assertEquals(true, isInsertAccepted(writer, customersTable, "none", SealedFields.NONE));
    }
  }

  private static SealedFields one(int version) {
    return PostgresFixtures.fields(version);
  }

  /// Each field is absent, no envelope, or one of versions 1 to 4.
  private static SealedFields randomFields(Random random) {
    TreeMap<String, Bytes> byName = new TreeMap<>();
    for (int i = 0; i < 3; i++) {
      int kind = random.nextInt(7) - 1;
      if (kind >= 0) {
        byName.put("f" + i, Bytes.copyOf(kind == 0 ? new byte[100] : sealed(1 + (kind - 1) % 4)));
      }
    }
    return SealedFields.of(byName);
  }

  private static String describe(SealedFields fields) {
    return fields.versions() + (fields.hasUnreadable() ? " and garbage" : "");
  }

  private static boolean isChangeAccepted(
      Connection writer, CustomersTable customersTable, String id, SealedFields to)
      throws SQLException {
    return isAccepted(
        writer,
        "UPDATE %s SET f0 = ?, f1 = ?, f2 = ? WHERE id = ?".formatted(customersTable.table()),
        id,
        to);
  }

  private static boolean isInsertAccepted(
      Connection writer, CustomersTable customersTable, String id, SealedFields to)
      throws SQLException {
    return isInsertAccepted(writer, customersTable.table(), id, to);
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
