package keyfleet.store;

import java.util.List;
import java.util.Optional;

/// Keys and values with revisions, in buckets. The package's description says what each method
/// guarantees.
public interface Kv {
  Optional<Entry> get(Bucket bucket, Key key);

  Write create(Bucket bucket, Key key, Value value);

  Write update(Bucket bucket, Key key, Value value, Revision expected);

  /// For what has one writer, such as a heartbeat; all else is compared and set.
  Write put(Bucket bucket, Key key, Value value);

  Deletion delete(Bucket bucket, Key key, Revision expected);

  List<Entry> list(Bucket bucket, Prefix prefix);

  /// Hints from now until the watch is closed. The watcher must not block: it may be called on the
  /// engine's own thread, or on a writer's.
  Watch watch(Bucket bucket, Prefix prefix, Watcher watcher);

  StoreTime storeTime();
}
