package keyfleet.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Optional;
import keyfleet.store.Conflict;
import keyfleet.store.FenceContract;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.RecordWriteResult.Fenced;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.RecordsContract;
import keyfleet.store.RecordsFixture;
import org.jspecify.annotations.Nullable;

class PostgresRecordsTest implements RecordsContract, FenceContract {
  @Override
  public RecordsFixture fixture() {
    return new PostgresRecordsFixture(CustomersTable.withVersionField());
  }

  private record PostgresRecordsFixture(CustomersTable customers) implements RecordsFixture {
    @Override
    public Records records() {
      return customers.records();
    }

    @Override
    public RecordWriteResult writeUnrelated(RecordId id, String text) {
      try (Connection connection = customers.connectAsApplication();
          PreparedStatement statement =
              connection.prepareStatement(
                  "UPDATE %s SET address = ? WHERE id = ?".formatted(customers.table()))) {
        statement.setString(1, text);
        statement.setString(2, id.value());
        return statement.executeUpdate() == 1 ? new Stored() : new Conflict();
      } catch (SQLException e) {
        return new Fenced(
            FenceSql.refusingFence(e).orElseThrow(() -> new IllegalStateException(e)));
      }
    }

    @Override
    public void writeVersionField(RecordId id, @Nullable Integer version) {
      try (Connection connection = customers.connectAsApplication();
          PreparedStatement statement =
              connection.prepareStatement(
                  "UPDATE %s SET kek_version = ? WHERE id = ?".formatted(customers.table()))) {
        statement.setObject(1, version, Types.INTEGER);
        statement.setString(2, id.value());
        statement.executeUpdate();
      } catch (SQLException e) {
        throw new IllegalStateException("the application cannot write", e);
      }
    }

    @Override
    public Optional<Integer> readVersionField(RecordId id) {
      try (Connection connection = customers.connectAsApplication();
          PreparedStatement statement =
              connection.prepareStatement(
                  "SELECT kek_version FROM %s WHERE id = ?".formatted(customers.table()))) {
        statement.setString(1, id.value());
        try (ResultSet found = statement.executeQuery()) {
          return found.next()
              ? Optional.ofNullable(found.getObject(1, Integer.class))
              : Optional.empty();
        }
      } catch (SQLException e) {
        throw new IllegalStateException("the application cannot read", e);
      }
    }

    @Override
    public void close() {
      customers.close();
    }
  }
}
