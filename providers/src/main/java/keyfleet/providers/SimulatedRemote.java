package keyfleet.providers;

import java.time.Duration;
import keyfleet.crypto.KekUnavailableException;

/// The latency and the rate limit of a simulated remote service. A call over the limit fails at
/// once, like a service that answers 429.
final class SimulatedRemote {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final Duration latency;
  private final int callsPerSecond;
  private final Ticker ticker;
  private long second;
  private int calls;

  SimulatedRemote(Duration latency, int callsPerSecond, Ticker ticker) {
    this.latency = latency;
    this.callsPerSecond = callsPerSecond;
    this.ticker = ticker;
    this.second = ticker.nanos();
  }

  void call() {
    if (!tryAdmit(ticker.nanos())) {
      throw new KekUnavailableException(
          "the simulated remote allows " + callsPerSecond + " calls a second");
    }
    ticker.pause(latency);
  }

  private synchronized boolean tryAdmit(long now) {
    if (now - second >= SECOND) {
      second = now;
      calls = 0;
    }
    return ++calls <= callsPerSecond;
  }
}
