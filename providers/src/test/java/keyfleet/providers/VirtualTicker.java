package keyfleet.providers;

import java.time.Duration;

/// Virtual time, which passes only by waiting.
final class VirtualTicker implements Ticker {
  private long nanos;

  @Override
  public synchronized long nanos() {
    return nanos;
  }

  @Override
  public synchronized void pause(Duration duration) {
    nanos += duration.toNanos();
  }
}
