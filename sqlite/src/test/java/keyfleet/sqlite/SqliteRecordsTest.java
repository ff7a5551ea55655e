package keyfleet.sqlite;

import static keyfleet.sqlite.SqliteTestFolder.CUSTOMERS;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import keyfleet.store.Conflict;
import keyfleet.store.FenceContract;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.RecordsContract;
import keyfleet.store.RecordsFixture;

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
      folder.sql(SqliteTestFolder.CREATE_CUSTOMERS);
      records = engine.records(CUSTOMERS);
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
    public void close() {
      engine.close();
      folder.close();
    }
  }
}
