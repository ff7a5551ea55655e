package keyfleet.store;

import java.util.List;
import java.util.Optional;
import keyfleet.crypto.KekVersion;

/// The sealed fields of one collection's records. The package description lists what each method
/// guarantees.
public interface Records {
  /// The first records that belong to `version`, at most `limit`, in an order that the engine
  /// chooses and never changes.
  List<StoredRecord> scan(KekVersion version, int limit);

  /// The records after `after`, which may be deleted or belong to another version by now.
  List<StoredRecord> scan(KekVersion version, RecordId after, int limit);

  /// The first records whose version field is not their lowest version, in the order of [#scan]. A
  /// [#compareAndSet] that leaves such a record's sealed fields as they are corrects its version
  /// field.
  List<StoredRecord> scanMismatched(int limit);

  /// Those records after `after`.
  List<StoredRecord> scanMismatched(RecordId after, int limit);

  Optional<StoredRecord> read(RecordId id);

  /// `Conflict` if the id is taken.
  RecordWriteResult insert(StoredRecord added);

  /// Replaces all sealed fields if each of them is still as it was read and no field was added.
  /// Writes the version field too, if the collection has one.
  RecordWriteResult compareAndSet(RecordChange change);

  /// Applies each change like [#compareAndSet], independently of the others. No record may occur
  /// twice. An engine may write all changes in one commit.
  default List<RecordWriteResult> compareAndSetAll(List<RecordChange> changes) {
    return changes.stream().map(this::compareAndSet).toList();
  }

  /// Deletes the record if all its sealed fields are as expected.
  DeleteResult delete(StoredRecord expected);

  Census census();

  /// Raises the fence. It must also stop writers that do not know Keyfleet.
  FenceResult fence(Fence fence);

  /// Raises `next` in the place of `held`, whatever the terms of both: an operator has decided
  /// which keystore is right. Refused if another fence than `held` is raised. Throws a
  /// [StoreException] if no fence was ever raised.
  FenceResult replaceFence(Fence held, Fence next);

  /// The current fence, if one was ever raised. A keystore of a lower epoch than this fence was
  /// restored from an old backup; one of another incarnation was created after the first was lost.
  Optional<Fence> fence();
}
