package keyfleet.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/// How long a thing took over all its turns, and how much of the processor this process used in
/// them: compilation and garbage collection included, a server's own work not.
final class CostMeter {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private static final double NANOS = 1e9;

  private final Stopwatch watch;
  private double seconds;
  private long cpu;

  CostMeter(Stopwatch watch) {
    this.watch = watch;
  }

  /// How long this turn took, in seconds.
  double add(Stopwatch.Work turn) throws Exception {
    long before = SYSTEM.getProcessCpuTime();
    double took = watch.seconds(turn);
    cpu += SYSTEM.getProcessCpuTime() - before;
    seconds += took;
    return took;
  }

  double seconds() {
    return seconds;
  }

  double cpuSeconds() {
    return cpu / NANOS;
  }
}
