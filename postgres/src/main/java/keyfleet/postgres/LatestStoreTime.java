package keyfleet.postgres;

import java.util.concurrent.atomic.AtomicLong;
import keyfleet.store.StoreTime;

/// The latest store time that this client has seen. The server's clock may be set back, so
/// statements use this time as a lower bound.
final class LatestStoreTime {
  private final AtomicLong millis = new AtomicLong();

  long millis() {
    return millis.get();
  }

  /// Records a time that the server wrote, and returns that time.
  StoreTime observe(long serverMillis) {
    millis.accumulateAndGet(serverMillis, Math::max);
    return new StoreTime(serverMillis);
  }

  /// Records the server's clock and returns the latest time seen, so that time never goes back.
  StoreTime advanceTo(long serverMillis) {
    return new StoreTime(millis.accumulateAndGet(serverMillis, Math::max));
  }
}
