package keyfleet.it.soak;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Samples the resident memory of the plugin, with a new trend for each process.
final class MemorySampler implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofMillis(500);

  private final LongSupplier resident;
  private final Thread sampler;
  private volatile MemoryTrend trend = new MemoryTrend(INTERVAL);
  private volatile boolean stopped;

  /// @param resident the resident bytes; zero while no process runs
  MemorySampler(LongSupplier resident) {
    this.resident = resident;
    this.sampler = Thread.ofPlatform().daemon().name("resident").start(this::sample);
  }

  private void sample() {
    while (!stopped) {
      MemoryTrend current = trend;
      long bytes = resident.getAsLong();
      if (bytes > 0) {
        current.add(bytes);
      }
      LockSupport.parkNanos(INTERVAL.toNanos());
    }
  }

  /// Starts the trend of the next process. Returns the trend of the previous one.
  MemoryTrend startNextTrend() {
    MemoryTrend before = trend;
    trend = new MemoryTrend(INTERVAL);
    return before;
  }

  @Override
  public void close() {
    stopped = true;
    LockSupport.unpark(sampler);
  }
}
