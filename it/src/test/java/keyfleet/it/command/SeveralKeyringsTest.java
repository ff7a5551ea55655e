package keyfleet.it.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import keyfleet.it.process.Await;
import keyfleet.it.process.ProcessFleet;
import keyfleet.it.process.ProcessFleet.KeySource;
import keyfleet.it.process.Shell;
import keyfleet.it.process.TestProcess;
import keyfleet.it.process.TestStores.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// One `keyfleet server` serves several keyrings.
class SeveralKeyringsTest {
  @TempDir Path folder = Path.of("");

  private static Map<String, String> extraEnvironment() {
    Map<String, String> all = new HashMap<>(ProcessFleet.TIMINGS);
    all.put("KEYFLEET_KEK_PAY_V1", ProcessFleet.key(11));
    all.put("KEYFLEET_KEK_PAY_V2", ProcessFleet.key(12));
    return all;
  }

  private static Shell.Result run(ProcessFleet fleet, String command) {
    return fleet.run(extraEnvironment(), command.split(" "));
  }

  private static void runWell(ProcessFleet fleet, String command) {
    Shell.Result result = run(fleet, command);
    assertEquals(0, result.exit(), () -> command + ": " + result);
  }

  @Test
  void oneServer_rotatesEachKeyringThatItNames() {
    try (ProcessFleet fleet = new ProcessFleet(folder, Kind.SQLITE.open(folder), KeySource.ENV)) {
      List.of(ProcessFleet.OPERATOR, "both").forEach(it -> fleet.giveKeys(it, 1, 2));
      for (String keyring : List.of("main", "pay")) {
        runWell(fleet, "kek announce --version=1 --keyring=" + keyring);
        runWell(fleet, "kek announce --version=2 --keyring=" + keyring);
      }
      TestProcess server =
          fleet.startServer(
              "both",
              extraEnvironment(),
              "--keyring=main",
              "--keyring=pay",
              "--listen=127.0.0.1:0");
      for (String keyring : List.of("main", "pay")) {
        Await.until(
            keyring + " is ready",
            () -> run(fleet, "kek verify --target=2 --keyring=" + keyring).exit() == 0,
            server::output);
        runWell(fleet, "kek rotate --from-version=1 --to-version=2 --wait --keyring=" + keyring);
      }
      List<String> keyrings = run(fleet, "keyring list").out();
      assertTrue(keyrings.get(1).matches("main +records +v2 +2 +completed"), keyrings.toString());
      assertTrue(keyrings.get(2).matches("pay +records +v2 +2 +completed"), keyrings.toString());
    }
  }

  @Test
  void badName_isRefusedBeforeTheServerStarts() {
    try (ProcessFleet fleet = new ProcessFleet(folder, Kind.SQLITE.open(folder), KeySource.ENV)) {
      Shell.Result result = run(fleet, "server --keyring=main --keyring=Pay");
      assertEquals(1, result.exit(), result.toString());
      assertTrue(result.err().getFirst().startsWith("keyfleet: --keyring=Pay "), result.toString());
      assertTrue(result.err().getLast().startsWith("Try: "), result.toString());
    }
  }
}
