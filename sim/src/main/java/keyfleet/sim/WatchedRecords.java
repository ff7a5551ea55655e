package keyfleet.sim;

import keyfleet.store.ForwardingRecords;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;

/// A collection whose writes are looked at, right after each is applied.
record WatchedRecords(Records inner, String collection, Part part, KeyTruth truth)
    implements ForwardingRecords {
  @Override
  public RecordWriteResult insert(StoredRecord added) {
    RecordWriteResult write = inner.insert(added);
    if (write instanceof Stored) {
      truth.wrote(collection, SealedFields.NONE, added);
    }
    return write;
  }

  @Override
  public RecordWriteResult compareAndSet(RecordChange recordChange) {
    RecordWriteResult write = inner.compareAndSet(recordChange);
    if (write instanceof Stored && part == Part.WORKER) {
      truth.moved(collection, recordChange.before(), recordChange.after());
    } else if (write instanceof Stored) {
      truth.wrote(
          collection,
          recordChange.before().fields(),
          new StoredRecord(recordChange.before().id(), recordChange.after()));
    }
    return write;
  }
}
