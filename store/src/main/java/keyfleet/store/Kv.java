package keyfleet.store;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Keys and values with revisions, in buckets. The package description lists what each method
/// guarantees.
public interface Kv {
  Optional<Entry> get(Bucket bucket, Key key);

  WriteResult create(Bucket bucket, Key key, Value value);

  WriteResult update(Bucket bucket, Key key, Value value, Revision expected);

  /// For keys with a single writer, such as a heartbeat; all other keys use compare-and-set.
  WriteResult put(Bucket bucket, Key key, Value value);

  DeleteResult delete(Bucket bucket, Key key, Revision expected);

  List<Entry> list(Bucket bucket, Prefix prefix);

  /// Passes the entries of [#list] to the consumer, in order, on the caller's thread. Engines that
  /// can do so stream them, so that a large result is never in memory as a whole. If the call
  /// throws, the consumer has seen only a part.
  default void list(Bucket bucket, Prefix prefix, Consumer<Entry> consumer) {
    list(bucket, prefix).forEach(consumer);
  }

  /// Gives hints from now until the watch is closed. The watcher must not block: the engine may
  /// call it on its own thread or on a writer's thread.
  Watch watch(Bucket bucket, Prefix prefix, Watcher watcher);

  StoreTime storeTime();
}
