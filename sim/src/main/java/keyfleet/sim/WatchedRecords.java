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
  public RecordWriteResult compareAndSet(RecordChange change) {
    RecordWriteResult write = inner.compareAndSet(change);
    if (write instanceof Stored && part == Part.WORKER) {
      truth.moved(collection, change.from(), change.to());
    } else if (write instanceof Stored) {
      truth.wrote(
          collection, change.from().fields(), new StoredRecord(change.from().id(), change.to()));
    }
    return write;
  }
}
