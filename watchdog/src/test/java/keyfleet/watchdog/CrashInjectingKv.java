package keyfleet.watchdog;

import java.util.Optional;
import keyfleet.store.Bucket;
import keyfleet.store.Entry;
import keyfleet.store.ForwardingKv;
import keyfleet.store.Key;
import keyfleet.store.Kv;
import keyfleet.store.Revision;
import keyfleet.store.StoreException;
import keyfleet.store.Value;
import keyfleet.store.WriteResult;

/// A watchdog's connection to the store. The watchdog can die at each use of it, and a test can
/// disconnect it.
final class CrashInjectingKv implements ForwardingKv {
  private final Kv inner;
  private final CrashInjector crashes;
  private boolean disconnected;

  CrashInjectingKv(Kv inner, CrashInjector crashes) {
    this.inner = inner;
    this.crashes = crashes;
  }

  void disconnect() {
    disconnected = true;
  }

  void reconnect() {
    disconnected = false;
  }

  @Override
  public Kv inner() {
    if (disconnected) {
      throw new StoreException("the store is unreachable");
    }
    return inner;
  }

  @Override
  public Optional<Entry> get(Bucket bucket, Key key) {
    return crashes.run("get", () -> inner().get(bucket, key));
  }

  @Override
  public WriteResult create(Bucket bucket, Key key, Value value) {
    return crashes.run("create", () -> inner().create(bucket, key, value));
  }

  @Override
  public WriteResult update(Bucket bucket, Key key, Value value, Revision expected) {
    return crashes.run("update", () -> inner().update(bucket, key, value, expected));
  }

  @Override
  public WriteResult put(Bucket bucket, Key key, Value value) {
    return crashes.run("put", () -> inner().put(bucket, key, value));
  }
}
