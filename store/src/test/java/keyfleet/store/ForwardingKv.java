package keyfleet.store;

import java.util.List;
import java.util.Optional;

/// Forwards all calls; implementations override the ones that they change.
public interface ForwardingKv extends Kv {
  Kv inner();

  @Override
  default Optional<Entry> get(Bucket bucket, Key key) {
    return inner().get(bucket, key);
  }

  @Override
  default WriteResult create(Bucket bucket, Key key, Value value) {
    return inner().create(bucket, key, value);
  }

  @Override
  default WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    return inner().update(bucket, key, value, expected);
  }

  @Override
  default WriteResult put(Bucket bucket, Key key, Value value) {
    return inner().put(bucket, key, value);
  }

  @Override
  default DeleteResult delete(Bucket bucket, Key key, Revision expected) {
    return inner().delete(bucket, key, expected);
  }

  @Override
  default List<Entry> list(Bucket bucket, Prefix prefix) {
    return inner().list(bucket, prefix);
  }

  @Override
  default Watch watch(Bucket bucket, Prefix prefix, Watcher watcher) {
    return inner().watch(bucket, prefix, watcher);
  }

  @Override
  default StoreTime storeTime() {
    return inner().storeTime();
  }
}
