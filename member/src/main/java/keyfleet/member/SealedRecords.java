package keyfleet.member;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import keyfleet.member.MemberException.Contended;
import keyfleet.member.MemberException.Fenced;
import keyfleet.member.MemberException.StoreUnavailable;
import keyfleet.store.Conflict;
import keyfleet.store.DeleteResult;
import keyfleet.store.RecordChange;
import keyfleet.store.RecordId;
import keyfleet.store.RecordWriteResult;
import keyfleet.store.RecordWriteResult.Stored;
import keyfleet.store.Records;
import keyfleet.store.SealedFields;
import keyfleet.store.StoreException;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;

/// The records of one collection, sealed on their way into the store and opened on their way out.
/// Only sealed fields are looked at. For any number of threads.
///
/// A write without a clear answer is read back: each seal is random, so finding the same bytes
/// proves that it happened.
public final class SealedRecords {
  /// Writes of one call that others overtook, or that got no clear answer.
  private static final int MAX_ATTEMPTS = 5;

  private final RecordCipher cipher;
  private final Records records;

  SealedRecords(RecordCipher cipher, Records records) {
    this.cipher = cipher;
    this.records = records;
  }

  public RecordCipher cipher() {
    return cipher;
  }

  /// The caller closes what it gets.
  public Optional<PlainFields> find(String id) {
    return read(id).map(cipher::open);
  }

  /// Makes a record. False if there is one of that id.
  public boolean insert(String id, PlainFields values) {
    Set<SealedFields> sent = new HashSet<>();
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      StoredRecord added = cipher.seal(id, values);
      sent.add(added.fields());
      switch (callStore(() -> records.insert(added))) {
        case Stored() -> {
          return true;
        }
        case RecordWriteResult.Fenced fenced -> requireNewerKeystore(fenced, added.fields());
        case Conflict _, Unknown _ -> {
          Optional<StoredRecord> found = read(id);
          if (found.isPresent()) {
            return sent.contains(found.get().fields());
          }
        }
      }
    }
    throw new Contended(cipher.collection(), id, MAX_ATTEMPTS);
  }

  /// Gives some fields of a record new values, and brings all its fields under the active version.
  /// False if there is no such record.
  public boolean update(String id, PlainFields values) {
    Set<SealedFields> sent = new HashSet<>();
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      Optional<StoredRecord> found = read(id);
      if (found.isEmpty()) {
        return false;
      }
      if (sent.contains(found.get().fields())) {
        return true;
      }
      RecordChange recordChange = cipher.change(found.get(), values);
      sent.add(recordChange.after());
      switch (callStore(() -> records.compareAndSet(recordChange))) {
        case Stored() -> {
          return true;
        }
        case RecordWriteResult.Fenced fenced -> requireNewerKeystore(fenced, recordChange.after());
        case Conflict _, Unknown _ -> {} // read again, and see
      }
    }
    throw new Contended(cipher.collection(), id, MAX_ATTEMPTS);
  }

  /// It is gone on return. False if there was none.
  public boolean delete(String id) {
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      Optional<StoredRecord> found = read(id);
      if (found.isEmpty()) {
        return i > 0;
      }
      if (callStore(() -> records.delete(found.get())) instanceof DeleteResult.Deleted) {
        return true;
      }
    }
    throw new Contended(cipher.collection(), id, MAX_ATTEMPTS);
  }

  private Optional<StoredRecord> read(String id) {
    return callStore(() -> records.read(new RecordId(id)));
  }

  private static <T> T callStore(Supplier<T> store) {
    try {
      return store.get();
    } catch (StoreException e) {
      throw new StoreUnavailable(e);
    }
  }

  /// The keys changed between seal and write. Sealing anew helps once this process knows.
  private void requireNewerKeystore(RecordWriteResult.Fenced fenced, SealedFields refused) {
    if (refused.versions().contains(cipher.acquirePermit().version())) {
      throw new Fenced(cipher.collection(), fenced);
    }
  }
}
