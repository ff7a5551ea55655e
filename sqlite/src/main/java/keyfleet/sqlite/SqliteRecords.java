package keyfleet.sqlite;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Bytes;
import keyfleet.store.Census;
import keyfleet.store.CensusCounter;
import keyfleet.store.CollectionShape;
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
import keyfleet.store.StoreException;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;
import org.jspecify.annotations.Nullable;

/// The records of an application's table. Every write is one transaction, in which the table's
/// fence triggers run.
final class SqliteRecords implements Records {
  private final SqliteDatabase database;
  private final SqliteTable table;
  private final SqliteFenceTriggers fenceTriggers;
  private final List<String> fields;

  /// Cached, because a rotation uses it for every record.
  private final String compareAndSetSql;

  SqliteRecords(SqliteDatabase database, CollectionShape shape) {
    this.database = database;
    this.table = SqliteTable.open(database, shape);
    this.fenceTriggers = new SqliteFenceTriggers(shape);
    this.fields = List.copyOf(shape.sealedFields());
    this.compareAndSetSql = table.compareAndSetSql();
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, int limit) {
    return database.read(session ->
        session.rows(table.scanSql(), this::record, SqliteVersionTags.toTag(version), limit));
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
    return database.read(session ->
        session.rows(
            table.scanAfterSql(),
            this::record,
            SqliteVersionTags.toTag(version),
            after.value(),
            limit));
  }

  @Override
  public List<StoredRecord> scanMismatched(int limit) {
    return database.read(session -> session.rows(table.scanMismatchedSql(), this::record, limit));
  }

  @Override
  public List<StoredRecord> scanMismatched(RecordId after, int limit) {
    return database.read(session ->
        session.rows(table.scanMismatchedAfterSql(), this::record, after.value(), limit));
  }

  @Override
  public Optional<StoredRecord> read(RecordId id) {
    return database.read(session -> session.row(table.readSql(), this::record, id.value()));
  }

  /// An existing id is a conflict whether or not the fence would allow the insert.
  @Override
  public RecordWriteResult insert(StoredRecord added) {
    List<@Nullable Object> args = written(added.fields());
    args.addFirst(added.id().value());
    return database
        .<RecordWriteResult>write(session ->
            session.row(table.readSql(), _ -> true, added.id().value()).isPresent()
                ? new Conflict()
                : executeFenced(session, table.insertSql(), args))
        .orElseGet(Unknown::new);
  }

  @Override
  public RecordWriteResult compareAndSet(RecordChange change) {
    return database.write(session -> writeChange(session, change)).orElseGet(Unknown::new);
  }

  /// One transaction for all changes, so one disk sync.
  @Override
  public List<RecordWriteResult> compareAndSetAll(List<RecordChange> changes) {
    return database
        .write(session -> writeChanges(session, changes))
        .orElseGet(() -> Collections.nCopies(changes.size(), new Unknown()));
  }

  @Override
  public DeleteResult delete(StoredRecord expected) {
    List<@Nullable Object> args = expected(expected);
    return database
        .<DeleteResult>write(session ->
            session.update(table.deleteSql(), args.toArray()) == 0 ? new Conflict() : new Deleted())
        .orElseGet(Unknown::new);
  }

  @Override
  public Census census() {
    return database.read(session -> {
      CensusCounter counter = new CensusCounter();
      session.forEachRow(table.censusSql(), row -> addGroup(counter, row));
      return counter.toCensus();
    });
  }

  @Override
  public FenceResult fence(Fence next) {
    return raise(held -> held.canYieldTo(next), next);
  }

  @Override
  public FenceResult replaceFence(Fence held, Fence next) {
    if (fence().isEmpty()) {
      throw new StoreException("table %s has no fence to replace".formatted(table.shape().name()));
    }
    return raise(held::equals, next);
  }

  private FenceResult raise(Predicate<Fence> canReplace, Fence next) {
    return database
        .write(session -> fenceTriggers.raise(session, canReplace, next))
        .orElseGet(Unknown::new);
  }

  /// Raises the stored fence again if the application recreated the table, which drops its
  /// triggers.
  @Override
  public Optional<Fence> fence() {
    Optional<Fence> held = database.read(fenceTriggers::readFence);
    if (held.isPresent() && !database.read(fenceTriggers::hasTriggers)) {
      fence(held.get());
      return database.read(fenceTriggers::readFence);
    }
    return held;
  }

  private List<RecordWriteResult> writeChanges(SqliteSession session, List<RecordChange> changes)
      throws SQLException {
    List<RecordWriteResult> results = new ArrayList<>();
    for (RecordChange change : changes) {
      results.add(writeChange(session, change));
    }
    return results;
  }

  private RecordWriteResult writeChange(SqliteSession session, RecordChange change)
      throws SQLException {
    List<@Nullable Object> args = written(change.after());
    args.addAll(expected(change.before()));
    return executeFenced(session, compareAndSetSql, args);
  }

  private RecordWriteResult executeFenced(
      SqliteSession session, String sql, List<@Nullable Object> args) throws SQLException {
    try {
      return session.update(sql, args.toArray()) == 0 ? new Conflict() : new Stored();
    } catch (SQLException e) {
      if (!SqliteErrors.isFenceRefusal(e)) {
        throw e;
      }
      return new Fenced(fenceTriggers.readFence(session).orElseThrow(() -> e));
    }
  }

  private List<@Nullable Object> expected(StoredRecord record) {
    List<@Nullable Object> args = args(record.fields());
    args.addFirst(record.id().value());
    return args;
  }

  /// The fields, then the version field.
  private List<@Nullable Object> written(SealedFields sealed) {
    List<@Nullable Object> args = args(sealed);
    if (table.shape().versionField().isPresent()) {
      args.add(sealed.lowestVersion().map(KekVersion::number).orElse(null));
    }
    return args;
  }

  /// In column order; null where the record has no field.
  private List<@Nullable Object> args(SealedFields sealed) {
    if (!fields.containsAll(sealed.byName().keySet())) {
      throw new IllegalArgumentException(
          "sealed fields are %s, not %s".formatted(fields, sealed.byName().keySet()));
    }
    List<@Nullable Object> args = new ArrayList<>();
    fields.forEach(it -> args.add(sealed.byName().get(it)));
    return args;
  }

  private StoredRecord record(ResultSet row) throws SQLException {
    @Nullable String id = row.getString(1);
    SortedMap<String, Bytes> byName = new TreeMap<>();
    for (int i = 0; i < fields.size(); i++) {
      byte @Nullable [] bytes = row.getBytes(i + 2);
      if (bytes != null) {
        byName.put(fields.get(i), Bytes.copyOf(bytes));
      }
    }
    return new StoredRecord(idOf(id), new SealedFields(byName));
  }

  private RecordId idOf(@Nullable String id) {
    if (id == null) {
      throw new StoreRefusedException(
          "a record of table %s has an id that is not text of 1 to %d bytes"
              .formatted(table.shape().name(), RecordId.MAX_BYTES),
          "give it such an id, or delete it");
    }
    return new RecordId(id);
  }

  private void addGroup(CensusCounter counter, ResultSet row) throws SQLException {
    NavigableSet<KekVersion> versions = new TreeSet<>();
    boolean isUnreadable = false;
    for (int i = 0; i < fields.size(); i++) {
      @Nullable String tag = row.getString(i + 2);
      if (tag != null) {
        SqliteVersionTags.toVersion(tag).ifPresent(versions::add);
        isUnreadable |= tag.isEmpty();
      }
    }
    counter.add(versions, row.getLong(1));
    counter.addUnreadable(isUnreadable ? row.getLong(1) : 0);
    counter.addMismatched(row.getBoolean(fields.size() + 2) ? row.getLong(1) : 0);
  }
}
