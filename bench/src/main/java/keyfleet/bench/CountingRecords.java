package keyfleet.bench;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Census;
import keyfleet.store.DeleteResult;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;

/// Counts how many records were changed through it.
record CountingRecords(Records records, AtomicLong changed) implements Records {
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
  public RecordWriteResult insert(StoredRecord added) {
    return records.insert(added);
  }

  @Override
  public RecordWriteResult compareAndSet(RecordChange change) {
    return records.compareAndSet(change);
  }

  @Override
  public List<RecordWriteResult> compareAndSetAll(List<RecordChange> changes) {
    List<RecordWriteResult> writes = records.compareAndSetAll(changes);
    changed.addAndGet(writes.stream().filter(Stored.class::isInstance).count());
    return writes;
  }

  @Override
  public DeleteResult delete(StoredRecord expected) {
    return records.delete(expected);
  }

  @Override
  public Census census() {
    return records.census();
  }

  @Override
  public FenceResult fence(Fence fence) {
    return records.fence(fence);
  }

  @Override
  public Optional<Fence> fence() {
    return records.fence();
  }
}
