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
  public RecordWriteResult compareAndSet(RecordChange recordChange) {
    RecordWriteResult write = inner.compareAndSet(recordChange);
    if (write instanceof Stored && user == PortUser.WORKER) {
      oracle.observeRewrap(collection, recordChange.before(), recordChange.after());
    } else if (write instanceof Stored) {
      oracle.observeWrite(
          collection,
          recordChange.before().fields(),
          new StoredRecord(recordChange.before().id(), recordChange.after()));
    }
    return write;
  }
}
