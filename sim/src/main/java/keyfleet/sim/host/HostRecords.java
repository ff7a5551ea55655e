package keyfleet.sim.host;

import java.util.List;
import java.util.Optional;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Census;
import keyfleet.store.DeleteResult;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;

/// A collection as one loop of a host sees it.
public final class HostRecords implements Records {
  private final Records store;
  private final StoreCalls calls;

  public HostRecords(Records store, HostLoop loop) {
    this.store = store;
    this.calls = new StoreCalls(loop);
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, int limit) {
    return calls.read(() -> store.scan(version, limit));
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
    return calls.read(() -> store.scan(version, after, limit));
  }

  @Override
  public List<StoredRecord> scanMismatched(int limit) {
    return calls.read(() -> store.scanMismatched(limit));
  }

  @Override
  public List<StoredRecord> scanMismatched(RecordId after, int limit) {
    return calls.read(() -> store.scanMismatched(after, limit));
  }

  @Override
  public Optional<StoredRecord> read(RecordId id) {
    return calls.read(() -> store.read(id));
  }

  @Override
  public RecordWriteResult insert(StoredRecord added) {
    return calls.<RecordWriteResult>write(() -> store.insert(added), new Unknown());
  }

  @Override
  public RecordWriteResult compareAndSet(RecordChange change) {
    return calls.<RecordWriteResult>write(() -> store.compareAndSet(change), new Unknown());
  }

  @Override
  public DeleteResult delete(StoredRecord expected) {
    return calls.<DeleteResult>write(() -> store.delete(expected), new Unknown());
  }

  @Override
  public Census census() {
    return calls.read(store::census);
  }

  @Override
  public FenceResult fence(Fence fence) {
    return calls.<FenceResult>write(
        () -> store.fence(fence), new Unknown(), SimulatedHost.Boundary.BEFORE_FENCE);
  }

  @Override
  public FenceResult replaceFence(Fence held, Fence next) {
    return calls.<FenceResult>write(
        () -> store.replaceFence(held, next), new Unknown(), SimulatedHost.Boundary.BEFORE_FENCE);
  }

  @Override
  public Optional<Fence> fence() {
    return calls.read(store::fence);
  }
}
