package keyfleet.sim.host;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import keyfleet.store.Bucket;
import keyfleet.store.DeleteResult;
import keyfleet.store.Entry;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;

/// A store that keeps entries for one and a half times their lifetime.
public record LateExpiryKv(Kv inner) implements ForwardingKv {
  private static Bucket withLateExpiry(Bucket bucket) {
    return bucket instanceof Bucket.Expiring(String name, Duration lifetime)
        ? new Bucket.Expiring(name, lifetime.plusMillis(lifetime.toMillis() / 2))
        : bucket;
  }

  @Override
  public Optional<Entry> get(Bucket bucket, Key key) {
    return inner.get(withLateExpiry(bucket), key);
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    return inner.create(withLateExpiry(bucket), key, value);
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    return inner.update(withLateExpiry(bucket), key, value, expected);
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    return inner.put(withLateExpiry(bucket), key, value);
  }

  @Override
  public DeleteResult delete(Bucket bucket, Key key, Revision expected) {
    return inner.delete(withLateExpiry(bucket), key, expected);
  }

  @Override
  public List<Entry> list(Bucket bucket, Prefix prefix) {
    return inner.list(withLateExpiry(bucket), prefix);
  }
}
