package keyfleet.it.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/// `./dev soak plugin`: runs a KMS plugin as shipped at full load, while its remote fails, its
/// store is locked, its process is killed and its keyring is rotated. The last line is a summary;
/// it exits with 1 at the first failure.
public final class PluginSoak {
  private static final int MAX_KEPT = 200_000;
  private static final int KEPT_PER_KILL = 5_000;

  /// Netty warns at each connection about an option that a unix socket lacks. The field holds the
  /// logger, because an unreferenced logger loses its level.
  private static final Logger NETTY = Logger.getLogger("io.netty");

  private PluginSoak() {}

  public static void main(String[] args) throws IOException {
    NETTY.setLevel(Level.SEVERE);
    try {
      SoakOptions options = SoakOptions.parse(List.of(args), System.nanoTime());
      System.exit(runAndReport(options) ? 0 : 1);
    } catch (SoakOptions.UsageException e) {
      System.err.println("soak: " + e.getMessage());
      System.err.println(SoakOptions.TRY);
      System.exit(1);
    }
  }

  private static boolean runAndReport(SoakOptions options) throws IOException {
    Path folder = Files.createTempDirectory("keyfleet-soak");
    try {
      SoakReport report = run(options, folder);
      if (options.record() != null) {
        report.addTo(options.record());
      }
      System.out.println(report.summary());
      return true;
    } catch (SoakFailure | AssertionError e) {
      System.out.printf(
          "soak: BROKEN at seed %d, commit %s: %s%n",
          options.seed(), options.commit(), e.getMessage());
      return false;
    } finally {
      delete(folder);
    }
  }

  /// Throws the first [SoakFailure].
  static SoakReport run(SoakOptions options, Path folder) {
    SplittableRandom random = new SplittableRandom(options.seed());
    KeptCiphertexts keptCiphertexts = new KeptCiphertexts(MAX_KEPT, KEPT_PER_KILL, random.split());
    PluginChecker checker = new PluginChecker(keptCiphertexts, System::nanoTime);
    try (FaultyTransit transit = new FaultyTransit();
        SoakFleet fleet = new SoakFleet(folder, options.launcher(), transit);
        PluginLoad load = new PluginLoad(fleet.socket(), checker)) {
      SoakRun run = new SoakRun(fleet, transit, checker, load, options.seed());
      try {
        SoakPlan plan = SoakPlan.draw(options.seed(), options.length());
        return new SoakReport(options, run.run(plan), checker);
      } catch (SoakFailure e) {
        System.out.println(fleet.pluginOutput());
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
