package keyfleet.it.soak;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/// Samples what a process has resident, one trend for each process after the other.
final class MemorySampler implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofMillis(500);

  private final LongSupplier resident;
  private final Thread sampler;
  private volatile MemoryTrend trend = new MemoryTrend(INTERVAL);
  private volatile boolean stopped;

  /// @param resident in bytes; zero while there is no process
  MemorySampler(LongSupplier resident) {
    this.resident = resident;
    this.sampler = Thread.ofPlatform().daemon().name("resident").start(this::sample);
  }

  private void sample() {
    while (!stopped) {
      MemoryTrend now = trend;
      long bytes = resident.getAsLong();
      if (bytes > 0) {
        now.add(bytes);
      }
      LockSupport.parkNanos(INTERVAL.toNanos());
    }
  }

  /// What follows is of another process. Returns what was seen of the one before.
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
