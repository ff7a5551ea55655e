package keyfleet.providers;

import java.time.Duration;

/// Elapsed time and waiting: the real ones in production, virtual ones in tests.
public interface Ticker {
  long nanos();

  void pause(Duration duration);
}
