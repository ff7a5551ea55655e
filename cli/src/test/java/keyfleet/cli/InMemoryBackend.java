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

/// A store in memory, and time that moves when told to.
public final class InMemoryBackend implements TestBackend {
  private final FakeStoreClock time = new FakeStoreClock();
  private final FakeKv kv = new FakeKv(time);
  private final Map<String, FakeRecords> collections = new HashMap<>();

  /// What commands find in place of the records, or of the whole store.
  public UnaryOperator<Records> recordsWrapper = UnaryOperator.identity();

  public UnaryOperator<Kv> kvWrapper = UnaryOperator.identity();

  /// What looking through it comes to.
  EnvelopeScan envelopeScan = new EnvelopeScan(List.of(), List.of());

  public FakeRecords collection(String name) {
    return collections.computeIfAbsent(name, _ -> new FakeRecords());
  }

  public void dropCollection(String collection) {
    collections.remove(collection);
  }

  /// As after a restore that forgot them.
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
          throw new StoreRefusedException("there is no table " + shape.name(), "make it");
        }
        return recordsWrapper.apply(found);
      }

      @Override
      public void createCollection(CollectionShape shape) {
        collection(shape.name());
      }

      @Override
      public EnvelopeScan scanForEnvelopes(EnvelopeScan.Scope scope) {
        return envelopeScan;
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

  @Override
  public Map<String, String> timings() {
    return Map.of();
  }
}
