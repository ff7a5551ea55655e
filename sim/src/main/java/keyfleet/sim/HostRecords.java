package keyfleet.sim;

import java.util.List;
import java.util.Optional;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Census;
import keyfleet.store.Change;
import keyfleet.store.Deletion;
import keyfleet.store.Fence;
import keyfleet.store.Fencing;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWrite;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;

/// A collection as one loop of a host sees it.
final class HostRecords implements Records {
  private final Records store;
  private final Wire wire;

  HostRecords(Records store, Loop loop) {
    this.store = store;
    this.wire = new Wire(loop);
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, int limit) {
    return wire.read(() -> store.scan(version, limit));
  }

  @Override
  public List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
    return wire.read(() -> store.scan(version, after, limit));
  }

  @Override
  public Optional<StoredRecord> read(RecordId id) {
    return wire.read(() -> store.read(id));
  }

  @Override
  public RecordWrite insert(StoredRecord added) {
    return wire.<RecordWrite>write(() -> store.insert(added), new Unknown());
  }

  @Override
  public RecordWrite compareAndSet(Change change) {
    return wire.<RecordWrite>write(() -> store.compareAndSet(change), new Unknown());
  }

  @Override
  public Deletion delete(StoredRecord expected) {
    return wire.<Deletion>write(() -> store.delete(expected), new Unknown());
  }

  @Override
  public Census census() {
    return wire.read(store::census);
  }

  @Override
  public Fencing fence(Fence fence) {
    return wire.<Fencing>write(() -> store.fence(fence), new Unknown(), Host.Edge.BEFORE_FENCE);
  }

  @Override
  public Optional<Fence> fence() {
    return wire.read(store::fence);
  }
}
