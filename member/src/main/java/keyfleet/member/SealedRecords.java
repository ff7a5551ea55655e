package keyfleet.member;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import keyfleet.crypto.Envelope;
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

/// The records of one collection. It seals them before writing and opens them after reading, and
/// touches only the sealed fields. Safe for any number of threads.
///
/// If a write gets no clear answer, the record is read back: each seal is random, so finding the
/// same sealed data proves that the write took effect. A rotation may have rewrapped the record by
/// then, which changes the envelopes but not the data in them.
public final class SealedRecords {
  /// Attempts of one call that lose a race or get no clear answer.
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

  /// The caller closes the result.
  public Optional<PlainFields> find(String id) {
    return read(id).map(cipher::open);
  }

  /// Inserts a record. Returns false if a record with that id exists.
  public boolean insert(String id, PlainFields values) {
    List<SealedFields> sent = new ArrayList<>();
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
            return wasSent(found.get().fields(), sent);
          }
        }
      }
    }
    throw new Contended(cipher.collection(), id, MAX_ATTEMPTS);
  }

  /// Sets new values for some fields of a record and moves all its fields to the active version.
  /// Returns false if there is no such record.
  public boolean update(String id, PlainFields values) {
    List<SealedFields> sent = new ArrayList<>();
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      Optional<StoredRecord> found = read(id);
      if (found.isEmpty()) {
        return false;
      }
      if (wasSent(found.get().fields(), sent)) {
        return true;
      }
      RecordChange change = cipher.change(found.get(), values);
      sent.add(change.after());
      switch (callStore(() -> records.compareAndSet(change))) {
        case Stored() -> {
          return true;
        }
        case RecordWriteResult.Fenced fenced -> requireNewerKeystore(fenced, change.after());
        case Conflict _, Unknown _ -> {} // read the record again
      }
    }
    throw new Contended(cipher.collection(), id, MAX_ATTEMPTS);
  }

  private static boolean wasSent(SealedFields found, List<SealedFields> sent) {
    return !sent.isEmpty()
        && sent.stream().map(SealedRecords::dataDigests).anyMatch(dataDigests(found)::equals);
  }

  /// What a rewrap leaves as it is. Empty for a field that is not an envelope: this class writes
  /// none.
  private static Map<String, String> dataDigests(SealedFields fields) {
    Map<String, String> digests = new TreeMap<>();
    fields
        .byName()
        .forEach((name, bytes) ->
            digests.put(
                name, Envelope.parse(bytes.toArray()).map(Envelope::dataDigest).orElse("")));
    return digests;
  }

  /// Deletes a record. Returns false if there was none.
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

  /// The keys changed between seal and write. Another attempt helps as soon as this process has
  /// read the new keystore; until then the call fails.
  private void requireNewerKeystore(RecordWriteResult.Fenced fenced, SealedFields refused) {
    if (refused.versions().contains(cipher.acquirePermit().version())) {
      throw new Fenced(cipher.collection(), fenced);
    }
  }
}
