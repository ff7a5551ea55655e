package keyfleet.providers;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/// Real time, for tests with a real server.
public final class SystemTicker implements Ticker {
  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public void pause(Duration duration) {
    LockSupport.parkNanos(duration.toNanos());
  }
}
