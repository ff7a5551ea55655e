package keyfleet.store;

import java.util.List;
import java.util.Optional;
import keyfleet.crypto.KekVersion;

/// Forwards all calls; implementations override the ones that they change.
public interface ForwardingRecords extends Records {
  Records inner();

  @Override
  default List<StoredRecord> scan(KekVersion version, int limit) {
    return inner().scan(version, limit);
  }

  @Override
  default List<StoredRecord> scan(KekVersion version, RecordId after, int limit) {
    return inner().scan(version, after, limit);
  }

  @Override
  default List<StoredRecord> scanMismatched(int limit) {
    return inner().scanMismatched(limit);
  }

  @Override
  default List<StoredRecord> scanMismatched(RecordId after, int limit) {
    return inner().scanMismatched(after, limit);
  }

  @Override
  default Optional<StoredRecord> read(RecordId id) {
    return inner().read(id);
  }

  @Override
  default RecordWriteResult insert(StoredRecord added) {
    return inner().insert(added);
  }

  @Override
  default RecordWriteResult compareAndSet(RecordChange change) {
    return inner().compareAndSet(change);
  }

  @Override
  default DeleteResult delete(StoredRecord expected) {
    return inner().delete(expected);
  }

  @Override
  default Census census() {
    return inner().census();
  }

  @Override
  default FenceResult fence(Fence fence) {
    return inner().fence(fence);
  }

  @Override
  default FenceResult replaceFence(Fence held, Fence next) {
    return inner().replaceFence(held, next);
  }

  @Override
  default Optional<Fence> fence() {
    return inner().fence();
  }
}
