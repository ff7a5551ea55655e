package keyfleet.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Bytes;
import keyfleet.store.Census;
import keyfleet.store.CensusCounter;
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

/// The records of an application's table: its ids and sealed columns.
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
    return pool.readLong(
        "scan " + table.qualifiedName(),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.scan(version))) {
            new ParameterBinder(statement).bindNumber(limit);
            return readRecords(statement);
          }
        });
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
    return pool.readLong(
        "scan " + table.qualifiedName(),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.scanAfter(version))) {
            new ParameterBinder(statement).bindText(table.idParameter(after)).bindNumber(limit);
            return readRecords(statement);
          }
        });
  }

  @Override
  public List<StoredRecord> scanMismatched(int limit) {
    return pool.readLong(
        "scan " + table.qualifiedName(),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.scanMismatched())) {
            new ParameterBinder(statement).bindNumber(limit);
            return readRecords(statement);
          }
        });
  }

  @Override
  public List<StoredRecord> scanMismatched(RecordId after, int limit) {
    return pool.readLong(
        "scan " + table.qualifiedName(),
        connection -> {
          try (PreparedStatement statement =
              connection.prepareStatement(sql.scanMismatchedAfter())) {
            new ParameterBinder(statement).bindText(table.idParameter(after)).bindNumber(limit);
            return readRecords(statement);
          }
        });
  }

  @Override
  public Optional<StoredRecord> read(RecordId id) {
    return pool.read(
        "read " + table.qualifiedName() + " " + id,
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.read())) {
            new ParameterBinder(statement).bindText(table.idParameter(id));
            List<StoredRecord> found = readRecords(statement);
            return found.isEmpty() ? Optional.empty() : Optional.of(found.getFirst());
          }
        });
  }

  @Override
  public RecordWriteResult insert(StoredRecord added) {
    checkFieldNames(added.fields());
    return write(
        "insert " + added.id(),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.insert())) {
            new ParameterBinder(statement)
                .bindText(table.idParameter(added.id()))
                .bindFields(table.fields(), added.fields())
                .bindVersion(table.shape(), added.fields());
            return statement.executeUpdate();
          }
        });
  }

  @Override
  public RecordWriteResult compareAndSet(RecordChange change) {
    StoredRecord from = change.before();
    checkFieldNames(from.fields());
    return write(
        "change " + from.id(),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.compareAndSet())) {
            new ParameterBinder(statement)
                .bindFields(table.fields(), change.after())
                .bindVersion(table.shape(), change.after())
                .bindText(table.idParameter(from.id()))
                .bindFields(table.fields(), from.fields());
            return statement.executeUpdate();
          }
        });
  }

  /// Sends one statement. If the fence refuses one record, the server undoes all, and each change
  /// is sent separately.
  @Override
  public List<RecordWriteResult> compareAndSetAll(List<RecordChange> changes) {
    changes.forEach(it -> checkFieldNames(it.before().fields()));
    List<RecordWriteResult> unknown = Collections.nCopies(changes.size(), new Unknown());
    List<RecordWriteResult> results =
        changes.isEmpty()
            ? List.of()
            : pool.write(
                "change %d records of %s".formatted(changes.size(), table.qualifiedName()),
                connection -> changeAll(connection, changes),
                unknown);
    return results.size() == changes.size()
        ? results
        : changes.stream().map(this::compareAndSet).toList();
  }

  @Override
  public DeleteResult delete(StoredRecord expected) {
    checkFieldNames(expected.fields());
    return pool.write(
        "delete %s of %s".formatted(expected.id(), table.qualifiedName()),
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql.delete())) {
            new ParameterBinder(statement)
                .bindText(table.idParameter(expected.id()))
                .bindFields(table.fields(), expected.fields());
            return statement.executeUpdate() == 1 ? new Deleted() : new Conflict();
          }
        },
        new Unknown());
  }

  @Override
  public Census census() {
    return pool.readLong("count " + table.qualifiedName(), this::takeCensus);
  }

  @Override
  public FenceResult fence(Fence next) {
    return fence.raise(next);
  }

  @Override
  public FenceResult replaceFence(Fence held, Fence next) {
    return fence.replace(held, next);
  }

  @Override
  public Optional<Fence> fence() {
    return fence.current();
  }

  private RecordWriteResult write(String action, PostgresPool.Work<Integer> work) {
    return pool.write(
        action + " of " + table.qualifiedName(),
        connection -> runWrite(connection, work),
        new Unknown());
  }

  private RecordWriteResult runWrite(Connection connection, PostgresPool.Work<Integer> work)
      throws SQLException {
    try {
      return work.run(connection) == 1 ? new Stored() : new Conflict();
    } catch (SQLException e) {
      Fence refusedBy = FenceSql.refusingFence(e).orElse(null);
      if (refusedBy != null) {
        return new Fenced(refusedBy);
      }
      // Such as a column that must not be null, which only the application can fill.
      if (PostgresErrorKind.sqlState(e).startsWith("23")) {
        throw new StoreRefusedException(
            "table %s refuses the record: %s"
                .formatted(table.qualifiedName(), PostgresErrorKind.describe(e)),
            "write the record from the application",
            e);
      }
      throw e;
    }
  }

  /// An empty list if the fence refused a record and the server undid all.
  private List<RecordWriteResult> changeAll(Connection connection, List<RecordChange> changes)
      throws SQLException {
    List<RecordWriteResult> results =
        new ArrayList<>(Collections.nCopies(changes.size(), new Conflict()));
    try (PreparedStatement statement = connection.prepareStatement(sql.compareAndSetAll())) {
      new ParameterBinder(statement)
          .bindTexts(changes.stream().map(it -> table.idParameter(it.before().id())).toList())
          .bindColumns(table.fields(), changes.stream().map(it -> it.before().fields()).toList())
          .bindColumns(table.fields(), changes.stream().map(RecordChange::after).toList())
          .bindVersions(table.shape(), changes.stream().map(RecordChange::after).toList());
      try (ResultSet stored = statement.executeQuery()) {
        while (stored.next()) {
          results.set(stored.getInt(1) - 1, new Stored());
        }
      }
      return results;
    } catch (SQLException e) {
      if (FenceSql.refusingFence(e).isPresent()) {
        return List.of();
      }
      throw e;
    }
  }

  private void checkFieldNames(SealedFields fields) {
    if (!table.shape().sealedFields().containsAll(fields.byName().keySet())) {
      throw new IllegalArgumentException(
          "table %s has sealed fields %s, not %s"
              .formatted(table.qualifiedName(), table.fields(), fields.byName().keySet()));
    }
  }

  private List<StoredRecord> readRecords(PreparedStatement statement) throws SQLException {
    List<StoredRecord> records = new ArrayList<>();
    try (ResultSet found = statement.executeQuery()) {
      while (found.next()) {
        records.add(new StoredRecord(new RecordId(found.getString(1)), readFields(found)));
      }
    }
    return records;
  }

  private SealedFields readFields(ResultSet found) throws SQLException {
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

  private Census takeCensus(Connection connection) throws SQLException {
    CensusCounter counter = new CensusCounter();
    try (PreparedStatement statement = connection.prepareStatement(sql.census());
        ResultSet group = statement.executeQuery()) {
      int fieldCount = table.fields().size();
      while (group.next()) {
        NavigableSet<KekVersion> versions = new TreeSet<>();
        for (int i = 1; i <= fieldCount; i++) {
          byte[] tag = group.getBytes(i);
          if (tag != null) {
            versions.add(VersionTagSql.toVersion(tag));
          }
        }
        long count = group.getLong(fieldCount + 3);
        counter.add(versions, count);
        counter.addUnreadable(group.getBoolean(fieldCount + 1) ? count : 0);
        counter.addMismatched(group.getBoolean(fieldCount + 2) ? count : 0);
      }
    }
    return counter.toCensus();
  }
}
