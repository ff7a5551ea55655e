package keyfleet.sim;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/// Measures a throughput from now on: per second of wall time, and per second of CPU time. CPU time
/// includes the garbage collector and the compiler, so the figure for one core does not depend on
/// other load of the machine.
final class Throughput {
  private static final double SECOND = 1e9;

  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private final LongSupplier clock;
  private final long startedAt;
  private final long cpuBefore = system.getProcessCpuTime();

  /// `clock` counts nanoseconds.
  Throughput(LongSupplier clock) {
    this.clock = clock;
    this.startedAt = clock.getAsLong();
  }

  String describe(long count) {
    double seconds = (clock.getAsLong() - startedAt) / SECOND;
    double cpuSeconds = (system.getProcessCpuTime() - cpuBefore) / SECOND;
    return "%,.0f/s, or %,.0f/s on one core by CPU time"
        .formatted(count / seconds, count / cpuSeconds);
  }
}
