package keyfleet.nats;

import java.util.concurrent.atomic.AtomicLong;
import keyfleet.store.StoreTime;

/// The latest store time that this client has seen. Each stream's leader reads its own clock, and a
/// new leader's clock may be behind; the time that one client sees must not go back.
final class NatsStoreClock {
  private final AtomicLong latest = new AtomicLong();

  StoreTime observe(long millis) {
    return new StoreTime(latest.accumulateAndGet(millis, Math::max));
  }
}
