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
  StoreTime saw(long told) {
    millis.accumulateAndGet(told, Math::max);
    return new StoreTime(told);
  }

  /// The server's clock, as far as it did not go back.
  StoreTime atLeast(long told) {
    return new StoreTime(millis.accumulateAndGet(told, Math::max));
  }
}
