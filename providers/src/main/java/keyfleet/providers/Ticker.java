package keyfleet.providers;

import java.time.Duration;

/// Elapsed time and waiting, from outside: the system's in production, a virtual one in tests.
public interface Ticker {
  long nanos();

  void pause(Duration duration);
}
