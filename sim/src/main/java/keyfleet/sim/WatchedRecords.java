package keyfleet.sim;

import keyfleet.store.Change;
import keyfleet.store.ForwardingRecords;
import keyfleet.store.RecordWrite;
import keyfleet.store.RecordWrite.Stored;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;

/// A collection whose writes are looked at, right after each is applied.
record WatchedRecords(Records inner, String collection, Part part, KeyTruth truth)
    implements ForwardingRecords {
  @Override
  public RecordWrite insert(StoredRecord added) {
    RecordWrite write = inner.insert(added);
    if (write instanceof Stored) {
      truth.wrote(collection, SealedFields.NONE, added);
    }
    return write;
  }

  @Override
  public RecordWrite compareAndSet(Change change) {
    RecordWrite write = inner.compareAndSet(change);
    if (write instanceof Stored && part == Part.WORKER) {
      truth.moved(collection, change.from(), change.to());
    } else if (write instanceof Stored) {
      truth.wrote(
          collection, change.from().fields(), new StoredRecord(change.from().id(), change.to()));
    }
    return write;
  }
}
