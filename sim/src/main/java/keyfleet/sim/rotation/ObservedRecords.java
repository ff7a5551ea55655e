package keyfleet.sim.rotation;

import keyfleet.sim.fleet.PortUser;
import keyfleet.store.ForwardingRecords;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;

/// A collection that passes each write to the oracle, right after the store has applied it.
record ObservedRecords(Records inner, String collection, PortUser user, RotationOracle oracle)
    implements ForwardingRecords {
  @Override
  public RecordWriteResult insert(StoredRecord added) {
    RecordWriteResult write = inner.insert(added);
    if (write instanceof Stored) {
      oracle.observeWrite(collection, SealedFields.NONE, added);
    }
    return write;
  }

  @Override
  public RecordWriteResult compareAndSet(RecordChange change) {
    RecordWriteResult write = inner.compareAndSet(change);
    if (write instanceof Stored && user == PortUser.WORKER) {
      oracle.observeRewrap(collection, change.before(), change.after());
    } else if (write instanceof Stored) {
      oracle.observeWrite(
          collection,
          change.before().fields(),
          new StoredRecord(change.before().id(), change.after()));
    }
    return write;
  }
}
