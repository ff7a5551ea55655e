package keyfleet.nats;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import keyfleet.store.Bucket;
import keyfleet.store.DeleteResult;
import keyfleet.store.Entry;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.StoreTime;
import keyfleet.store.Unknown;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;

/// A client that survives an outage: it repeats reads until they are answered, and reports failed
/// writes as unknown.
record RetryingKv(Kv inner) implements ForwardingKv {
  private static final int TRIES = 300;
  private static final Duration PAUSE = Duration.ofMillis(100);

  @Override
  public Optional<Entry> get(Bucket bucket, Key key) {
    return retry(() -> inner.get(bucket, key));
  }

  @Override
  public List<Entry> list(Bucket bucket, Prefix prefix) {
    return retry(() -> inner.list(bucket, prefix));
  }

  @Override
  public StoreTime storeTime() {
    return retry(inner::storeTime);
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    return orUnknown(() -> inner.create(bucket, key, value));
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    return orUnknown(() -> inner.update(bucket, key, value, expected));
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    return orUnknown(() -> inner.put(bucket, key, value));
  }

  @Override
  public DeleteResult delete(Bucket bucket, Key key, Revision expected) {
    try {
      return inner.delete(bucket, key, expected);
    } catch (StoreException e) {
      return new Unknown();
    }
  }

  private static WriteResult orUnknown(Supplier<WriteResult> result) {
    try {
      return result.get();
    } catch (StoreException e) {
      return new Unknown();
    }
  }

  private static <T> T retry(Supplier<T> read) {
    for (int i = 1; ; i++) {
      try {
        return read.get();
      } catch (StoreException e) {
        if (i == TRIES) {
          throw e;
        }
        NatsAwait.pause(PAUSE);
      }
    }
  }
}
