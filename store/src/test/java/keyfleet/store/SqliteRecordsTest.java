package keyfleet.store;

import static keyfleet.store.SqliteFolder.CUSTOMERS;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import keyfleet.store.RecordWrite.Stored;

class SqliteRecordsTest implements RecordsContract, FenceContract {
  @Override
  public RecordsRig rig() {
    return new Rig();
  }

  private static final class Rig implements RecordsRig {
    private final SqliteFolder folder = new SqliteFolder();
    private final SqliteEngine engine = folder.engine();
    private final Records records;

    Rig() {
      folder.sql(SqliteFolder.MAKE_CUSTOMERS);
      records = engine.records(CUSTOMERS);
    }

    @Override
    public Records records() {
      return records;
    }

    @Override
    public RecordWrite writeUnrelated(RecordId id, String text) {
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
