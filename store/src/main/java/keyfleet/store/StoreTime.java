package keyfleet.store;

import java.time.Duration;

/// A moment on the store's own clock. It is no date: only differences mean something. An engine
/// whose clock starts anew, after a reboot say, continues its line at or after what it last said.
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
