package keyfleet.store;

import java.time.Duration;

/// A moment on the store's own clock. It is not a date: only differences have a meaning. An engine
/// whose clock restarts, after a reboot for example, continues at or after the last time it
/// reported.
public record StoreTime(long millis) implements Comparable<StoreTime> {
  public Duration since(StoreTime earlier) {
    return Duration.ofMillis(millis - earlier.millis);
  }

  public StoreTime plus(Duration duration) {
    return new StoreTime(Math.addExact(millis, duration.toMillis()));
  }

  @Override
  public int compareTo(StoreTime other) {
    return Long.compare(millis, other.millis);
  }
}
