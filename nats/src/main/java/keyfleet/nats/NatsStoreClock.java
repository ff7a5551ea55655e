package keyfleet.nats;

import java.util.concurrent.atomic.AtomicLong;
import keyfleet.store.StoreTime;

/// The latest store time seen. Each stream's leader reads its own clock; a new leader may be
/// behind, and what one client has seen must not go back.
final class NatsStoreClock {
  private final AtomicLong latest = new AtomicLong();

  StoreTime observe(long millis) {
    return new StoreTime(latest.accumulateAndGet(millis, Math::max));
  }
}
