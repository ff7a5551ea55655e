package keyfleet.sqlite;

import static keyfleet.sqlite.SqliteTestFolder.CUSTOMERS;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Optional;
import keyfleet.store.Conflict;
import keyfleet.store.FenceContract;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.RecordsContract;
import keyfleet.store.RecordsFixture;
import org.jspecify.annotations.Nullable;

class SqliteRecordsTest implements RecordsContract, FenceContract {
  @Override
  public RecordsFixture fixture() {
    return new SqliteRecordsFixture();
  }

  private static final class SqliteRecordsFixture implements RecordsFixture {
    private final SqliteTestFolder folder = new SqliteTestFolder();
    private final SqliteEngine engine = folder.openEngine();
    private final Records records;

    SqliteRecordsFixture() {
      folder.sql(
          SqliteTestFolder.CREATE_CUSTOMERS,
          "ALTER TABLE customers ADD COLUMN kek_version INTEGER");
      records = engine.records(CUSTOMERS.withVersionField("kek_version"));
    }

    @Override
    public Records records() {
      return records;
    }

    @Override
    public RecordWriteResult writeUnrelated(RecordId id, String text) {
      try (Connection application = folder.connect();
          PreparedStatement update =
              application.prepareStatement("UPDATE customers SET address = ? WHERE id = ?")) {
        update.setString(1, text);
        update.setString(2, id.value());
        return update.executeUpdate() == 1 ? new Stored() : new Conflict();
      } catch (SQLException e) {
        throw new IllegalStateException("the application cannot write", e);
      }
    }

    @Override
    public void writeVersionField(RecordId id, @Nullable Integer version) {
      folder.sql(
          "UPDATE customers SET kek_version = %s WHERE id = '%s'"
              .formatted(version == null ? "NULL" : version, id.value()));
    }

    @Override
    public Optional<Integer> readVersionField(RecordId id) {
      try (Connection application = folder.connect()) {
        String found =
            SqliteTestFolder.query(
                application,
                "SELECT kek_version FROM customers WHERE id = '%s'".formatted(id.value()));
        return found.equals("null") ? Optional.empty() : Optional.of(Integer.parseInt(found));
      } catch (SQLException e) {
        throw new IllegalStateException("the application cannot read", e);
      }
    }

    @Override
    public void close() {
      engine.close();
      folder.close();
    }
  }
}
