package keyfleet.member;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.store.CollectionShape;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeRecords;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.ForwardingKv;
import keyfleet.store.ForwardingRecords;
import keyfleet.store.Kv;
import keyfleet.store.Records;
import keyfleet.store.StoreException;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreCheck;

/// An engine in memory that tests can disconnect. It creates a collection when it is first used.
public final class TestEngine implements Engine {
  /// The name of the engine in registrations.
  public static final String NAME = "memory";

  private final FakeKv kv;
  private final SortedMap<String, FakeRecords> collections = new TreeMap<>();
  private volatile boolean disconnected;

  TestEngine(FakeStoreClock clock) {
    this.kv = new FakeKv(clock);
  }

  @Override
  public Kv kv() {
    return (ForwardingKv) () -> requireConnected(kv);
  }

  @Override
  public Records records(CollectionShape shape) {
    FakeRecords records = collection(shape.name());
    return (ForwardingRecords) () -> requireConnected(records);
  }

  /// The stored records, for a test to inspect, also while the engine is disconnected.
  public synchronized FakeRecords collection(String name) {
    return collections.computeIfAbsent(name, _ -> new FakeRecords());
  }

  synchronized Map<String, FakeRecords> collections() {
    return new TreeMap<>(collections);
  }

  FakeKv inner() {
    return kv;
  }

  /// Makes every call fail until [#reconnect].
  public void disconnect() {
    disconnected = true;
  }

  public void reconnect() {
    disconnected = false;
  }

  private <T> T requireConnected(T port) {
    if (disconnected) {
      throw new StoreException("no connection");
    }
    return port;
  }

  @Override
  public List<StoreCheck> storeChecks() {
    return List.of(StoreCheck.ok("a store in memory, for tests"));
  }

  @Override
  public void close() {}
}
