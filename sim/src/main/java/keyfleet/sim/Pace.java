package keyfleet.sim;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/// How fast something goes from here on, for people: by the wall, and a core. A core's share is by
/// the time that all threads of this process were on a core, the collector's and the compiler's
/// among them; so it is the same on a machine that others use, too.
final class Pace {
  private static final double SECOND = 1e9;

  private final OperatingSystemMXBean machine =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private final long began = System.nanoTime();
  private final long cpuBefore = machine.getProcessCpuTime();

  private Pace() {}

  static Pace begin() {
    return new Pace();
  }

  String words(long done) {
    double seconds = (System.nanoTime() - began) / SECOND;
    double cores = (machine.getProcessCpuTime() - cpuBefore) / SECOND;
    return "%,.0f/s, or %,.0f/s on one core by CPU time".formatted(done / seconds, done / cores);
  }
}
