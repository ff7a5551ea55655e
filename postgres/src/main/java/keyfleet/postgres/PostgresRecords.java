package keyfleet.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Bytes;
import keyfleet.store.Census;
import keyfleet.store.Conflict;
import keyfleet.store.DeleteResult;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.RecordWriteResult.Fenced;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;

/// The sealed columns of an application's table.
final class PostgresRecords implements Records {
  private final PostgresPool pool;
  private final PostgresTable table;
  private final RecordsSql sql;
  private final PostgresFence fence;

  PostgresRecords(PostgresPool pool, PostgresTable table, PostgresFence fence) {
    this.pool = pool;
    this.table = table;
    this.sql = new RecordsSql(table);
    this.fence = fence;
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, int limit) {
    return pool.readPatiently(
        "scan " + table.name(),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.scan(version))) {
            new ParameterBinder(statement).number(limit);
            return records(statement);
          }
        });
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
    return pool.readPatiently(
        "scan " + table.name(),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.scanOn(version))) {
            new ParameterBinder(statement).text(table.id(after)).number(limit);
            return records(statement);
          }
        });
  }

  @Override
  public Optional<StoredRecord> read(RecordId id) {
    return pool.read(
        "read " + table.name() + " " + id,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.read())) {
            new ParameterBinder(statement).text(table.id(id));
            List<StoredRecord> found = records(statement);
            return found.isEmpty() ? Optional.empty() : Optional.of(found.getFirst());
          }
        });
  }

  @Override
  public RecordWriteResult insert(StoredRecord added) {
    checkNames(added.fields());
    return written(
        "insert " + added.id(),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.insert())) {
            new ParameterBinder(statement)
                .text(table.id(added.id()))
                .fields(table.fields(), added.fields());
            return statement.executeUpdate();
          }
        });
  }

  @Override
  public RecordWriteResult compareAndSet(RecordChange recordChange) {
    StoredRecord from = recordChange.before();
    checkNames(from.fields());
    return written(
        "change " + from.id(),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.change())) {
            new ParameterBinder(statement)
                .fields(table.fields(), recordChange.after())
                .text(table.id(from.id()))
                .fields(table.fields(), from.fields());
            return statement.executeUpdate();
          }
        });
  }

  /// With one statement. If the fence refuses one of them, the server undoes all, and each goes by
  /// itself.
  @Override
  public List<RecordWriteResult> compareAndSetAll(List<RecordChange> recordChanges) {
    recordChanges.forEach(it -> checkNames(it.before().fields()));
    List<RecordWriteResult> unknown = Collections.nCopies(recordChanges.size(), new Unknown());
    List<RecordWriteResult> writes =
        recordChanges.isEmpty()
            ? List.of()
            : pool.write(
                "change %d records of %s".formatted(recordChanges.size(), table.name()),
                connection -> changedAll(connection, recordChanges),
                unknown);
    return writes.size() == recordChanges.size()
        ? writes
        : recordChanges.stream().map(this::compareAndSet).toList();
  }

  @Override
  public DeleteResult delete(StoredRecord expected) {
    checkNames(expected.fields());
    return pool.write(
        "delete %s of %s".formatted(expected.id(), table.name()),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.delete())) {
            new ParameterBinder(statement)
                .text(table.id(expected.id()))
                .fields(table.fields(), expected.fields());
            return statement.executeUpdate() == 1 ? new Deleted() : new Conflict();
          }
        },
        new Unknown());
  }

  @Override
  public Census census() {
    return pool.readPatiently("count " + table.name(), this::census);
  }

  @Override
  public FenceResult fence(Fence next) {
    return fence.raise(next);
  }

  @Override
  public Optional<Fence> fence() {
    return fence.standing();
  }

  private RecordWriteResult written(String what, PostgresPool.Work<Integer> work) {
    return pool.write(
        what + " of " + table.name(), connection -> outcome(connection, work), new Unknown());
  }

  private RecordWriteResult outcome(Connection connection, PostgresPool.Work<Integer> work)
      throws SQLException {
    try {
      return work.in(connection) == 1 ? new Stored() : new Conflict();
    } catch (SQLException e) {
      Fence by = FenceSql.refusal(e).orElse(null);
      if (by != null) {
        return new Fenced(by);
      }
      // Such as a column that must not be null, which only the application can fill.
      if (PostgresErrorKind.state(e).startsWith("23")) {
        throw new StoreRefusedException(
            "table %s refuses the record: %s".formatted(table.name(), PostgresErrorKind.words(e)),
            "let the application write it",
            e);
      }
      throw e;
    }
  }

  /// An empty list if the fence undid all.
  private List<RecordWriteResult> changedAll(
      Connection connection, List<RecordChange> recordChanges) throws SQLException {
    List<RecordWriteResult> writes =
        new ArrayList<>(Collections.nCopies(recordChanges.size(), new Conflict()));
    try (PreparedStatement statement = connection.prepareStatement(sql.changeAll())) {
      new ParameterBinder(statement)
          .texts(recordChanges.stream().map(it -> table.id(it.before().id())).toList())
          .columns(table.fields(), recordChanges.stream().map(it -> it.before().fields()).toList())
          .columns(table.fields(), recordChanges.stream().map(RecordChange::after).toList());
      try (ResultSet stored = statement.executeQuery()) {
        while (stored.next()) {
          writes.set(stored.getInt(1) - 1, new Stored());
        }
      }
      return writes;
    } catch (SQLException e) {
      if (FenceSql.refusal(e).isPresent()) {
        return List.of();
      }
      throw e;
    }
  }

  private void checkNames(SealedFields fields) {
    if (!table.shape().sealedFields().containsAll(fields.byName().keySet())) {
      throw new IllegalArgumentException(
          "table %s has sealed fields %s, not %s"
              .formatted(table.name(), table.fields(), fields.byName().keySet()));
    }
  }

  private List<StoredRecord> records(PreparedStatement statement) throws SQLException {
    List<StoredRecord> records = new ArrayList<>();
    try (ResultSet found = statement.executeQuery()) {
      while (found.next()) {
        records.add(new StoredRecord(new RecordId(found.getString(1)), fields(found)));
      }
    }
    return records;
  }

  private SealedFields fields(ResultSet found) throws SQLException {
    Map<String, Bytes> byName = new TreeMap<>();
    List<String> names = table.fields();
    for (int i = 0; i < names.size(); i++) {
      byte[] field = found.getBytes(i + 2);
      if (field != null) {
        byName.put(names.get(i), Bytes.copyOf(field));
      }
    }
    return SealedFields.of(byName);
  }

  private Census census(Connection connection) throws SQLException {
    PostgresCensusCounter tally = new PostgresCensusCounter(table.fields().size());
    try (PreparedStatement statement = connection.prepareStatement(sql.census());
        ResultSet found = statement.executeQuery()) {
      while (found.next()) {
        tally.add(found);
      }
    }
    return tally.census();
  }
}
