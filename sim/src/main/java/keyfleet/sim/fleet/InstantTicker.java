package keyfleet.sim.fleet;

import java.time.Duration;
import keyfleet.providers.Ticker;

/// The clock of an operator's retries. A pause takes no time of the fleet: others act at the
/// boundaries of the next attempt.
public final class InstantTicker implements Ticker {
  private long nanos;

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public void pause(Duration duration) {
    nanos += duration.toNanos();
  }
}
