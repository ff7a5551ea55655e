package keyfleet.sim.fleet;

import java.util.function.BiConsumer;
import keyfleet.store.Bucket;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Revision;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;
import keyfleet.store.WriteResult.Written;

/// A store whose writes somebody looks at, right after each is applied.
public record ObservedWritesKv(Kv inner, BiConsumer<Bucket, AppliedWrite> watcher)
    implements ForwardingKv {
  public record AppliedWrite(Key key, Value value) {}

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    return seen(bucket, key, value, inner.create(bucket, key, value));
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    return seen(bucket, key, value, inner.update(bucket, key, value, expected));
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    return seen(bucket, key, value, inner.put(bucket, key, value));
  }

  private WriteResult seen(Bucket bucket, Key key, Value value, WriteResult writeResult) {
    if (writeResult instanceof Written) {
      watcher.accept(bucket, new AppliedWrite(key, value));
    }
    return writeResult;
  }
}
