package keyfleet.store;

import java.util.List;
import java.util.Optional;
import keyfleet.crypto.KekVersion;

/// The records of one collection, as far as their sealed fields go. The package's description says
/// what each method guarantees.
public interface Records {
  /// The first records that belong to `version`, at most `limit`, in an order that is the engine's
  /// own and always the same.
  List<StoredRecord> scan(KekVersion version, int limit);

  /// The next ones. `after` need not exist any more, nor still belong to the version.
  List<StoredRecord> scan(KekVersion version, RecordId after, int limit);

  Optional<StoredRecord> read(RecordId id);

  /// `Conflict` if the id is taken.
  RecordWrite insert(StoredRecord added);

  /// Replaces all sealed fields if every one of them is as it was read, and there is no other.
  RecordWrite compareAndSet(Change change);

  /// Each change as [#compareAndSet] would make it, whatever becomes of the others. No record is
  /// there twice. An engine may write them all with one commit.
  default List<RecordWrite> compareAndSetAll(List<Change> changes) {
    return changes.stream().map(this::compareAndSet).toList();
  }

  /// Deletes the record if all its sealed fields are as expected.
  Deletion delete(StoredRecord expected);

  Census census();

  /// Raises the fence; writers that it must stop include those that know nothing of Keyfleet.
  Fencing fence(Fence fence);

  /// The fence that stands, if any was ever raised. A keystore whose term is lower than this one's
  /// was restored from the past.
  Optional<Fence> fence();
}
