package keyfleet.store;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.store.DeleteResult.Deleted;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.Refused;
import keyfleet.store.RecordWriteResult.Fenced;
import keyfleet.store.RecordWriteResult.Stored;
import org.jspecify.annotations.Nullable;

/// A collection in memory, with a version field and one column that Keyfleet does not use. It is
/// deterministic; ids sort by their characters.
public final class FakeRecords implements Records {
  private record Row(SealedFields fields, @Nullable Integer versionField, String unrelated) {
    Row(SealedFields fields, String unrelated) {
      this(fields, fields.lowestVersion().map(KekVersion::number).orElse(null), unrelated);
    }

    boolean isMismatched() {
      return !Optional.ofNullable(versionField)
          .equals(fields.lowestVersion().map(KekVersion::number));
    }
  }

  private final NavigableMap<String, Row> rows = new TreeMap<>();
  private @Nullable Fence fence;

  @Override
  public synchronized List<StoredRecord> scan(KekVersion version, int limit) {
    return scanPage(rows, version, limit);
  }

  @Override
  public synchronized List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
    return scanPage(rows.tailMap(after.value(), false), version, limit);
  }

  @Override
  public synchronized List<StoredRecord> scanMismatched(int limit) {
    return scanMismatchedPage(rows, limit);
  }

  @Override
  public synchronized List<StoredRecord> scanMismatched(RecordId after, int limit) {
    return scanMismatchedPage(rows.tailMap(after.value(), false), limit);
  }

  @Override
  public synchronized Optional<StoredRecord> read(RecordId id) {
    return Optional.ofNullable(rows.get(id.value())).map(row -> new StoredRecord(id, row.fields()));
  }

  @Override
  public synchronized RecordWriteResult insert(StoredRecord added) {
    if (rows.containsKey(added.id().value())) {
      return new Conflict();
    }
    return write(added.id(), new Row(SealedFields.NONE, ""), added.fields());
  }

  @Override
  public synchronized RecordWriteResult compareAndSet(RecordChange change) {
    RecordId id = change.before().id();
    Row row = rows.get(id.value());
    return row != null && row.fields().equals(change.before().fields())
        ? write(id, row, change.after())
        : new Conflict();
  }

  @Override
  public synchronized DeleteResult delete(StoredRecord expected) {
    Row row = rows.get(expected.id().value());
    if (row == null || !row.fields().equals(expected.fields())) {
      return new Conflict();
    }
    rows.remove(expected.id().value());
    return new Deleted();
  }

  @Override
  public synchronized Census census() {
    List<StoredRecord> all = new ArrayList<>();
    rows.forEach((id, row) -> all.add(new StoredRecord(new RecordId(id), row.fields())));
    Census census = Census.of(all);
    return new Census(
        census.belonging(),
        census.carrying(),
        census.unreadable(),
        rows.values().stream().filter(Row::isMismatched).count());
  }

  @Override
  public synchronized FenceResult fence(Fence next) {
    Fence held = fence;
    if (held != null && !held.canYieldTo(next)) {
      return new Refused(held);
    }
    fence = next;
    return new Raised();
  }

  @Override
  public synchronized FenceResult replaceFence(Fence held, Fence next) {
    Fence present = fence;
    if (present == null) {
      throw new StoreException("the collection has no fence to replace");
    }
    if (!present.equals(held)) {
      return new Refused(present);
    }
    fence = next;
    return new Raised();
  }

  @Override
  public synchronized Optional<Fence> fence() {
    return Optional.ofNullable(fence);
  }

  /// Writes the column that is not sealed, as an application would.
  public synchronized RecordWriteResult writeUnrelated(RecordId id, String text) {
    Row row = rows.get(id.value());
    return row == null ? new Conflict() : write(id, new Row(row.fields(), text), row.fields());
  }

  /// Writes the version field, as an application would.
  public synchronized void writeVersionField(RecordId id, @Nullable Integer version) {
    rows.computeIfPresent(id.value(), (_, row) -> new Row(row.fields(), version, row.unrelated()));
  }

  public synchronized Optional<Integer> readVersionField(RecordId id) {
    Row row = rows.get(id.value());
    return Optional.ofNullable(row).map(Row::versionField);
  }

  private RecordWriteResult write(RecordId id, Row before, SealedFields after) {
    Fence held = fence;
    if (held != null && !held.isChangeAllowed(before.fields(), after)) {
      return new Fenced(held);
    }
    rows.put(id.value(), new Row(after, before.unrelated()));
    return new Stored();
  }

  private static List<StoredRecord> scanMismatchedPage(NavigableMap<String, Row> rows, int limit) {
    return rows.entrySet().stream()
        .filter(it -> it.getValue().isMismatched())
        .map(it -> new StoredRecord(new RecordId(it.getKey()), it.getValue().fields()))
        .limit(limit)
        .toList();
  }

  private static List<StoredRecord> scanPage(
      NavigableMap<String, Row> rows, KekVersion version, int limit) {
    return rows.entrySet().stream()
        .map(it -> new StoredRecord(new RecordId(it.getKey()), it.getValue().fields()))
        .filter(it -> it.fields().lowestVersion().equals(Optional.of(version)))
        .limit(limit)
        .toList();
  }
}
