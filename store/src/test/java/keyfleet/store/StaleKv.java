package keyfleet.store;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// Answers the first read after a write like a lagging replica: with the state before the write.
final class StaleKv implements ForwardingKv {
  /// An entry as a list of one, or an empty list for a key that was absent.
  private record Past(List<Entry> entry) {}

  private final Kv inner;
  private final Map<Key, Past> past = new ConcurrentHashMap<>();

  StaleKv(Kv inner) {
    this.inner = inner;
  }

  @Override
  public Kv inner() {
    return inner;
  }

  @Override
  public Optional<Entry> get(Bucket bucket, Key key) {
    Past before = past.remove(key);
    return before == null ? inner.get(bucket, key) : before.entry().stream().findFirst();
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    lag(bucket, key);
    return inner.create(bucket, key, value);
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    lag(bucket, key);
    return inner.update(bucket, key, value, expected);
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    lag(bucket, key);
    return inner.put(bucket, key, value);
  }

  private void lag(Bucket bucket, Key key) {
    past.put(key, new Past(inner.get(bucket, key).stream().toList()));
  }
}
