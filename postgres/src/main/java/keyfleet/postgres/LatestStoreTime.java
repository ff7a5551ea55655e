package keyfleet.postgres;

import java.util.concurrent.atomic.AtomicLong;
import keyfleet.store.StoreTime;

/// The latest store time this client has seen. The server's clock may be set back; statements take
/// this as the least that it may say.
final class LatestStoreTime {
  private final AtomicLong millis = new AtomicLong();

  long millis() {
    return millis.get();
  }

  /// A time that the server told.
  StoreTime observe(long serverMillis) {
    millis.accumulateAndGet(serverMillis, Math::max);
    return new StoreTime(serverMillis);
  }

  /// The server's clock, as far as it did not go back.
  StoreTime advanceTo(long serverMillis) {
    return new StoreTime(millis.accumulateAndGet(serverMillis, Math::max));
  }
}
