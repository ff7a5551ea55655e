package keyfleet.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/// Adds up how long the turns of a measurement took, and how much CPU time this process used in
/// them. Compilation and garbage collection are included; the work of a separate server is not.
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

  /// Runs the turn and returns how long it took, in seconds.
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
