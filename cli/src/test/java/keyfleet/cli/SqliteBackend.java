package keyfleet.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import keyfleet.cli.config.EngineFactory;
import keyfleet.store.engine.Engine;
import keyfleet.store.engine.StoreUrl;

/// A SQLite store with the real clock. Waiting is shortened.
public record SqliteBackend(Path folder) implements TestBackend {
  private static final Duration STEP = Duration.ofMillis(50);

  @Override
  public Engine open() {
    return EngineFactory.open(StoreUrl.parse(url()));
  }

  @Override
  public String url() {
    return "sqlite:" + folder.resolve("fleet.db");
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public void advance(Duration duration) {
    LockSupport.parkNanos((duration.compareTo(STEP) < 0 ? duration : STEP).toNanos());
  }

  @Override
  public Map<String, String> timings() {
    return Map.of(
        "KEYFLEET_TIMING_HEARTBEAT", "1s",
        "KEYFLEET_TIMING_FRESH", "20s",
        "KEYFLEET_TIMING_LEASE", "25s",
        "KEYFLEET_TIMING_EXPIRE", "30s",
        "KEYFLEET_TIMING_ADOPT", "2s");
  }
}
