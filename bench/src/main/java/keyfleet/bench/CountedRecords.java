package keyfleet.bench;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Census;
import keyfleet.store.Change;
import keyfleet.store.Deletion;
import keyfleet.store.Fence;
import keyfleet.store.Fencing;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWrite;
import keyfleet.store.RecordWrite.Stored;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;

/// Records that count how many of them were changed.
record CountedRecords(Records records, AtomicLong changed) implements Records {
  @Override
  public List<StoredRecord> scan(KekVersion version, int limit) {
    return records.scan(version, limit);
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
    return records.scan(version, after, limit);
  }

  @Override
  public Optional<StoredRecord> read(RecordId id) {
    return records.read(id);
  }

  @Override
  public RecordWrite insert(StoredRecord added) {
    return records.insert(added);
  }

  @Override
  public RecordWrite compareAndSet(Change change) {
    return records.compareAndSet(change);
  }

  @Override
  public List<RecordWrite> compareAndSetAll(List<Change> changes) {
    List<RecordWrite> writes = records.compareAndSetAll(changes);
    changed.addAndGet(writes.stream().filter(Stored.class::isInstance).count());
    return writes;
  }

  @Override
  public Deletion delete(StoredRecord expected) {
    return records.delete(expected);
  }

  @Override
  public Census census() {
    return records.census();
  }

  @Override
  public Fencing fence(Fence fence) {
    return records.fence(fence);
  }

  @Override
  public Optional<Fence> fence() {
    return records.fence();
  }
}
