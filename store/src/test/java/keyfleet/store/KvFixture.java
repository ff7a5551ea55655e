package keyfleet.store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A store under test, empty at first, and the operations that a test needs on it.
public interface KvFixture extends AutoCloseable {
  Kv kv();

  /// Returns when that much store time has passed. It waits, because the clock of a real store
  /// cannot be advanced.
  default void advanceTime(Duration duration) {
    StoreTime end = kv().storeTime().plus(duration);
    for (StoreTime now = kv().storeTime(); now.compareTo(end) < 0; now = kv().storeTime()) {
      new CompletableFuture<@Nullable Void>()
          .completeOnTimeout(null, end.since(now).toMillis(), TimeUnit.MILLISECONDS)
          .join();
    }
  }

  /// Runs `meanwhile` while open watches get no hints, then lets them recover.
  void runWithWatchesDisconnected(Runnable meanwhile);

  /// Puts an entry under each key; an engine may do it faster than with one call each.
  default void fill(Bucket bucket, List<Key> keys) {
    keys.forEach(key -> kv().put(bucket, key, Value.of(key.value())));
  }

  @Override
  default void close() {}

  /// A fixture of the fake; `connection` wraps the fake that the test uses.
  static KvFixture ofFake(UnaryOperator<Kv> connection) {
    FakeStoreClock clock = new FakeStoreClock();
    FakeKv fake = new FakeKv(clock);
    Kv kv = connection.apply(fake);
    return new KvFixture() {
      @Override
      public Kv kv() {
        return kv;
      }

      @Override
      public void advanceTime(Duration duration) {
        clock.advance(duration);
      }

      @Override
      public void runWithWatchesDisconnected(Runnable meanwhile) {
        fake.disconnectWatches();
        meanwhile.run();
        fake.reconnectWatches();
      }
    };
  }
}
