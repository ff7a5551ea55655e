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

/// A store that passes each write to an observer, right after the store has applied it.
public record ObservedWritesKv(Kv inner, BiConsumer<Bucket, AppliedWrite> observer)
    implements ForwardingKv {
  public record AppliedWrite(Key key, Value value) {}

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    return notifyObserver(bucket, key, value, inner.create(bucket, key, value));
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    return notifyObserver(bucket, key, value, inner.update(bucket, key, value, expected));
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    return notifyObserver(bucket, key, value, inner.put(bucket, key, value));
  }

  private WriteResult notifyObserver(Bucket bucket, Key key, Value value, WriteResult result) {
    if (result instanceof Written) {
      observer.accept(bucket, new AppliedWrite(key, value));
    }
    return result;
  }
}
