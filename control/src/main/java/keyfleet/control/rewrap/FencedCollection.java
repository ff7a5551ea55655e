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

/// One registered collection that this process reaches. Every effect stands at its failpoint.
public final class FencedCollection {
  private final CollectionRegistration collectionRegistration;
  private final Records records;
  private final Failpoints failpoints;

  FencedCollection(
      CollectionRegistration collectionRegistration, Records records, Failpoints failpoints) {
    this.collectionRegistration = collectionRegistration;
    this.records = records;
    this.failpoints = failpoints;
  }

  /// As in the places that are bound into its envelopes.
  String collection() {
    return collectionRegistration.collection();
  }

  /// Tells it from a collection of the same name in another engine.
  public String displayName() {
    return collectionRegistration.engine() + " " + collectionRegistration.collection();
  }

  List<StoredRecord> scan(KekVersion version, @Nullable RecordId after, int limit) {
    return failpoints.at(
        Failpoint.RECORDS_SCAN,
        () -> after == null ? records.scan(version, limit) : records.scan(version, after, limit));
  }

  List<RecordWriteResult> write(List<RecordChange> recordChanges) {
    return failpoints.at(Failpoint.RECORD_WRITE, () -> records.compareAndSetAll(recordChanges));
  }

  public Census takeCensus() {
    return failpoints.at(Failpoint.CENSUS, () -> records.census());
  }

  public Optional<Fence> readFence() {
    return failpoints.at(Failpoint.FENCE_READ, () -> records.fence());
  }

  public FenceResult raiseFence(Fence fence) {
    return failpoints.at(Failpoint.FENCE_RAISE, () -> records.fence(fence));
  }
}
