package keyfleet.store;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

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

  /// Shows `reader` the entries of [#list], in their order, on the caller's thread. An engine that
  /// can does so while it reads them, so that a large branch is never in memory as a whole. If it
  /// throws, what was shown was a part.
  default void list(Bucket bucket, Prefix prefix, Consumer<Entry> reader) {
    list(bucket, prefix).forEach(reader);
  }

  /// Hints from now until the watch is closed. The watcher must not block: it may be called on the
  /// engine's own thread, or on a writer's.
  Watch watch(Bucket bucket, Prefix prefix, Watcher watcher);

  StoreTime storeTime();
}
