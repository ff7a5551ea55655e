package keyfleet.sim;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/// How fast something goes from here on, for people: by the wall, and a core. A core's share is by
/// the time that all threads of this process were on a core, the collector's and the compiler's
/// among them; so it is the same on a machine that others use, too.
final class Throughput {
  private static final double SECOND = 1e9;

  private final OperatingSystemMXBean machine =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private final LongSupplier clock;
  private final long startedAt;
  private final long cpuBefore = machine.getProcessCpuTime();

  /// `clock` counts nanoseconds.
  Throughput(LongSupplier clock) {
    this.clock = clock;
    this.startedAt = clock.getAsLong();
  }

  String describe(long count) {
    double seconds = (clock.getAsLong() - startedAt) / SECOND;
    double cores = (machine.getProcessCpuTime() - cpuBefore) / SECOND;
    return "%,.0f/s, or %,.0f/s on one core by CPU time".formatted(count / seconds, count / cores);
  }
}
