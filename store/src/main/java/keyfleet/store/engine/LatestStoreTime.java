package keyfleet.store.engine;

import java.util.concurrent.atomic.AtomicLong;
import keyfleet.store.StoreTime;

/// The latest store time that this client has seen. A server's clock may be set back, and a new
/// leader's clock may be behind that of its predecessor; the time that one client sees must not go
/// back.
public final class LatestStoreTime {
  private final AtomicLong latest = new AtomicLong();

  public long millis() {
    return latest.get();
  }

  /// Records a time of the server and returns the latest time seen.
  public StoreTime observe(long serverMillis) {
    return new StoreTime(latest.accumulateAndGet(serverMillis, Math::max));
  }
}
