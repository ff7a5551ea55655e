package keyfleet.it.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/// `./dev soak plugin`: a KMS plugin as shipped, at full rate, while its remote fails, its store
/// goes, it is killed, and its keyring is rotated. The last line sums up; exit 1 at the first
/// broken promise.
public final class PluginSoak {
  private static final int KEPT = 200_000;
  private static final int KEPT_AT_A_KILL = 5_000;

  /// Netty complains of an option that a unix socket lacks, at each attempt to connect. Held, as
  /// loggers that nobody holds are forgotten with their levels.
  private static final Logger NETTY = Logger.getLogger("io.netty");

  private PluginSoak() {}

  public static void main(String[] args) throws IOException {
    NETTY.setLevel(Level.SEVERE);
    try {
      SoakOptions order = SoakOptions.parse(List.of(args), System.nanoTime());
      System.exit(isKept(order) ? 0 : 1);
    } catch (SoakOptions.UsageException e) {
      System.err.println("soak: " + e.getMessage());
      System.err.println(SoakOptions.TRY);
      System.exit(1);
    }
  }

  private static boolean isKept(SoakOptions order) throws IOException {
    Path folder = Files.createTempDirectory("keyfleet-soak");
    try {
      SoakReport report = run(order, folder);
      if (order.record() != null) {
        report.addTo(order.record());
      }
      System.out.println(report.words());
      return true;
    } catch (SoakFailure | AssertionError e) {
      System.out.printf(
          "soak: BROKEN at seed %d, commit %s: %s%n", order.seed(), order.commit(), e.getMessage());
      return false;
    } finally {
      delete(folder);
    }
  }

  /// Throws [SoakFailure] at the first.
  static SoakReport run(SoakOptions order, Path folder) {
    SplittableRandom random = new SplittableRandom(order.seed());
    KeptCiphertexts keepsakes = new KeptCiphertexts(KEPT, KEPT_AT_A_KILL, random.split());
    PluginChecker jury = new PluginChecker(keepsakes, System::nanoTime);
    try (FaultyTransit transit = new FaultyTransit();
        SoakFleet stand = new SoakFleet(folder, order.launcher(), transit);
        PluginLoad load = new PluginLoad(stand.socket(), jury)) {
      SoakRun run = new SoakRun(stand, transit, jury, load, order.seed());
      try {
        SoakPlan plan = SoakPlan.drawn(order.seed(), order.length());
        return new SoakReport(order, run.run(plan), jury);
      } catch (SoakFailure e) {
        System.out.println(stand.said());
        throw e;
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted((one, other) -> other.compareTo(one)).forEach(it -> it.toFile().delete());
    }
  }
}
