package keyfleet.cli;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import keyfleet.store.Bucket;
import keyfleet.store.CollectionShape;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeRecords;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.Kv;
import keyfleet.store.Prefix;
import keyfleet.store.Records;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.StoreCheck;

/// A store in memory with a clock that moves only when a test advances it.
public final class InMemoryBackend implements TestBackend {
  private final FakeStoreClock time = new FakeStoreClock();
  private final FakeKv kv = new FakeKv(time);
  private final Map<String, FakeRecords> collections = new HashMap<>();

  /// Replaces the records or the whole store that commands see.
  public UnaryOperator<Records> recordsWrapper = UnaryOperator.identity();

  public UnaryOperator<Kv> kvWrapper = UnaryOperator.identity();

  /// The result of a scan of this store for envelopes.
  EnvelopeScan scanResult = new EnvelopeScan(List.of(), List.of());

  public FakeRecords collection(String name) {
    return collections.computeIfAbsent(name, _ -> new FakeRecords());
  }

  public void dropCollection(String collection) {
    collections.remove(collection);
  }

  /// Deletes the keystores, as a restore from a backup without them does.
  public void deleteKeystores() {
    Bucket keystores = new Bucket.Lasting("keystores");
    kv.list(keystores, Prefix.ALL).forEach(it -> kv.delete(keystores, it.key(), it.revision()));
  }

  @Override
  public Engine open() {
    return new Engine() {
      @Override
      public Kv kv() {
        return kvWrapper.apply(kv);
      }

      @Override
      public Records records(CollectionShape shape) {
        FakeRecords found = collections.get(shape.name());
        if (found == null) {
          throw new StoreRefusedException("there is no table " + shape.name(), "create it");
        }
        return recordsWrapper.apply(found);
      }

      @Override
      public void createCollection(CollectionShape shape) {
        collection(shape.name());
      }

      @Override
      public EnvelopeScan scanForEnvelopes(EnvelopeScan.Scope scope) {
        return scanResult;
      }

      @Override
      public List<StoreCheck> storeChecks() {
        return List.of();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public String url() {
    return "sqlite:memory";
  }

  @Override
  public long nanos() {
    return Duration.ofMillis(time.now().millis()).toNanos();
  }

  @Override
  public void advance(Duration duration) {
    time.advance(duration);
  }

  /// Sets the store's clock back.
  public void stepBack(Duration duration) {
    time.stepBack(duration);
  }

  @Override
  public Map<String, String> timings() {
    return Map.of();
  }
}
