package keyfleet.store;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/// A store clock that moves only when a test advances it.
public final class FakeStoreClock {
  private final AtomicLong millis = new AtomicLong();

  public StoreTime now() {
    return new StoreTime(millis.get());
  }

  /// As when an administrator corrects the clock of a server.
  public void stepBack(Duration duration) {
    millis.addAndGet(-duration.toMillis());
  }

  public void advance(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("store time cannot go back by " + duration);
    }
    millis.addAndGet(duration.toMillis());
  }
}
