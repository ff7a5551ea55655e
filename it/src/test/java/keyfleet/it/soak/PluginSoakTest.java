package keyfleet.it.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import keyfleet.it.architecture.Repository;
import keyfleet.it.process.Await;
import keyfleet.it.process.Shell;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Runs the shortest possible soak: it passes with a correct plugin, and fails when the plugin
/// dies.
@Timeout(300)
class PluginSoakTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Path LAUNCHER = Repository.root().resolve("keyfleet");

  @TempDir Path folder = Path.of("");
  private final FaultyTransit transit = new FaultyTransit();
  private final KeptCiphertexts keptCiphertexts = new KeptCiphertexts(1_000, 500, new Random(1));
  private final PluginChecker checker = new PluginChecker(keptCiphertexts, System::nanoTime);

  /// Builds before the test, so that the first start takes no longer than the others.
  @BeforeEach
  void build() {
    Shell.Result built = new Shell(folder, Map.of()).run(LAUNCHER + " --version");
    assertEquals(0, built.exit(), built::toString);
  }

  @AfterEach
  void closeTransit() {
    transit.close();
  }

  private static SoakPlan plan(SoakFault... faults) {
    List<SoakPlan.Step> steps =
        Arrays.stream(faults).map(it -> new SoakPlan.Step(SECOND, it, SECOND)).toList();
    return new SoakPlan(SECOND.multipliedBy(3), steps);
  }

  @Test
  void rotatedAndKilledPlugin_passes() {
    try (SoakFleet fleet = new SoakFleet(folder, LAUNCHER, transit);
        PluginLoad load = new PluginLoad(fleet.socket(), checker)) {
      SoakRun.Outcome outcome =
          new SoakRun(fleet, transit, checker, load, 1)
              .run(plan(SoakFault.REMOTE_CUT, SoakFault.ROTATION));
      assertEquals(1, outcome.kills());
      assertEquals(2, checker.keyIdCount());
      assertTrue(transit.failureCount() > 0, "the remote got no request while it cut connections");
      assertTrue(outcome.calls() > 100, () -> outcome.calls() + " calls");
      assertTrue(outcome.opened() > 2_000, () -> outcome.opened() + " opened");
    }
  }

  @Test
  void pluginThatEndsByItself_isCaught() throws InterruptedException {
    try (SoakFleet fleet = new SoakFleet(folder, LAUNCHER, transit);
        PluginLoad load = new PluginLoad(fleet.socket(), checker)) {
      Thread killer =
          Thread.ofVirtual()
              .start(() -> {
                Await.until("the plugin is under load", () -> checker.calls() > 1_000);
                fleet.killPlugin();
              });
      SoakRun run = new SoakRun(fleet, transit, checker, load, 1);
      SoakPlan plan = new SoakPlan(Duration.ofMinutes(1), List.of());
      SoakFailure broken = assertThrows(SoakFailure.class, () -> run.run(plan));
      String message = String.valueOf(broken.getMessage());
      assertTrue(message.contains("UNAVAILABLE, without any fault"), message);
      killer.join();
    }
  }
}
