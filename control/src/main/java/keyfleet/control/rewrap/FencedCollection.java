package keyfleet.control.rewrap;

import java.util.List;
import java.util.Optional;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.Census;
import keyfleet.store.Fence;
import keyfleet.store.FenceResult;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.Records;
import keyfleet.store.StoredRecord;
import org.jspecify.annotations.Nullable;

/// One registered collection that this process can reach. Each effect is at its failpoint.
public final class FencedCollection {
  private final CollectionRegistration registration;
  private final Records records;
  private final Failpoints failpoints;

  FencedCollection(CollectionRegistration registration, Records records, Failpoints failpoints) {
    this.registration = registration;
    this.records = records;
    this.failpoints = failpoints;
  }

  public CollectionRegistration registration() {
    return registration;
  }

  /// The name that its envelopes are bound to.
  String collection() {
    return registration.collection();
  }

  /// With the engine, which tells collections of the same name apart.
  public String displayName() {
    return registration.engine() + " " + registration.collection();
  }

  List<StoredRecord> scan(KekVersion version, @Nullable RecordId after, int limit) {
    return failpoints.at(
        Failpoint.RECORDS_SCAN,
        () -> after == null ? records.scan(version, limit) : records.scan(version, after, limit));
  }

  /// The records whose version field is wrong.
  List<StoredRecord> scanMismatched(@Nullable RecordId after, int limit) {
    return failpoints.at(
        Failpoint.RECORDS_SCAN,
        () -> after == null ? records.scanMismatched(limit) : records.scanMismatched(after, limit));
  }

  List<RecordWriteResult> write(List<RecordChange> changes) {
    return failpoints.at(Failpoint.RECORD_WRITE, () -> records.compareAndSetAll(changes));
  }

  public Census takeCensus() {
    return failpoints.at(Failpoint.CENSUS, () -> records.census());
  }

  public Optional<Fence> readFence() {
    return failpoints.at(Failpoint.FENCE_READ, () -> records.fence());
  }

  /// Raises the fence over one of another keystore, if that is still `held`.
  FenceResult replaceFence(Fence held, Fence next) {
    return failpoints.at(Failpoint.FENCE_RAISE, () -> records.replaceFence(held, next));
  }

  public FenceResult raiseFence(Fence fence) {
    return failpoints.at(Failpoint.FENCE_RAISE, () -> records.fence(fence));
  }
}
