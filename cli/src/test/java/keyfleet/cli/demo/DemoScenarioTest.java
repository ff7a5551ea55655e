package keyfleet.cli.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import keyfleet.cli.output.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Each claim of the demonstration fails if its condition does not hold.
class DemoScenarioTest {
  private static final String LAGGARD =
      "host=vm pid=102 loaded=[1] current=1 provider=file version=0.1.0 reason=missing";

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private final ScriptedFleet fleet = new ScriptedFleet();

  @Test
  void everyClaimHolds_exitsZero() {
    assertEquals(ExitCode.OK, runScenario());
    assertTrue(text().endsWith("All 13 claims held.\n"), this::text);
  }

  /// A result to return instead of the expected one, and the claim that must fail.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          kek verify --target=1 | exit 2                                        | all four processes hold version 1
          kek verify --target=2 | exit 0                                        | the gate names the one process
          kek verify --target=2 | err host=vm pid=999 reason=missing            | the gate names the one process
          kek verify --target=2 | err host=vm pid=102 loaded=[1,2] reason=stale | the gate names the one process
          first rotate          | exit 0                                        | kek rotate refuses too
          waiting verify        | exit 2                                        | the fleet is ready for version 2
          second rotate         | exit 1                                        | the rotation started
          status                | {"state":"in_progress","phase":"rewrapping","done":5,"total":5,"driver":"worker-1/a"} | a worker was killed
          status                | {"state":"in_progress","phase":"rewrapping","done":1,"total":5,"driver":""}            | a worker was killed
          waiting rotate        | exit 2                                        | another worker took over
          last status           | {"state":"aborted","driver":"worker-2/b","failed_records":0}                           | another worker took over
          last status           | {"state":"completed","driver":"worker-1/a","failed_records":0}                         | another worker took over
          last status           | {"state":"completed","driver":"worker-2/b","failed_records":3}                         | no record failed
          shop                  | {"reads":9,"writes":9,"wrong":1,"first_fault":"lost"}                                  | not one read or write
          shop                  | {"reads":0,"writes":0,"wrong":0}              | not one read or write
          shop                  | nothing                                       | not one read or write
          kek inventory         | sqlite orders  v1       7       7             | no record needs version 1
          kek inventory         | exit 2                                        | no record needs version 1
          kek remove            | exit 2                                        | version 1 is disabled
          check                 | {"orders":3000,"opened":2999}                 | every order opens without the key
          check                 | {"orders":10,"opened":10}                     | every order opens without the key
          audit verify          | exit 2                                        | the audit chain is intact
          """)
  void brokenClaim_exitsOneAndIsNamed(String where, String what, String claim) {
    fleet.override(where, what);
    assertEquals(ExitCode.ERROR, runScenario(), this::text);
    assertTrue(text().contains("[FAIL] " + claim), this::text);
  }

  private int runScenario() {
    return new DemoScenario(fleet, new PrintStream(printed, true, UTF_8)).run();
  }

  private String text() {
    return printed.toString(UTF_8);
  }

  /// A fleet in which every claim holds, except for overridden results.
  private static final class ScriptedFleet implements DemoFleet {
    private final Map<String, CommandResult> overrides = new LinkedHashMap<>();
    private boolean isFixed;
    private boolean isKilled;
    private int rotates;

    void override(String where, String what) {
      overrides.put(where, answer(what));
    }

    private static CommandResult answer(String what) {
      if (what.startsWith("exit ")) {
        return new CommandResult(Integer.parseInt(what.substring(5)), List.of(), List.of());
      }
      return what.startsWith("err ")
          ? new CommandResult(2, List.of(), List.of(what.substring(4)))
          : printed(what);
    }

    private static CommandResult printed(String... lines) {
      return new CommandResult(ExitCode.OK, List.of(lines), List.of());
    }

    @Override
    public CommandResult run(String... arguments) {
      String command = String.join(" ", arguments);
      CommandResult expected = defaultResult(command);
      return overrides.getOrDefault(step(command), expected);
    }

    /// The name of this step in the table above.
    private String step(String command) {
      if (command.startsWith("kek verify --target=2 --wait")) {
        return "waiting verify";
      }
      if (command.startsWith("kek verify")) {
        return command.endsWith("json") ? "polled" : command.substring(0, 21);
      }
      if (command.startsWith("kek rotate")) {
        return List.of("first rotate", "second rotate", "waiting rotate").get(rotates - 1);
      }
      if (command.startsWith("kek status")) {
        return isKilled ? "last status" : "status";
      }
      return command.startsWith("demo-shop")
          ? "check"
          : command.replaceFirst("^(\\w+ \\w+).*", "$1");
    }

    private CommandResult defaultResult(String command) {
      List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
      return switch (arguments.get(1)) {
        case "verify" ->
            arguments.getFirst().equals("audit") ? printed("13:ab") : verifyResult(command);
        case "rotate" -> rotates++ == 0 ? notReady() : printed();
        case "status" ->
            isKilled
                ? printed(
                    "{\"state\":\"completed\",\"driver\":\"worker-2/b\",\"failed_records\":0}")
                : printed(
                    "{\"state\":\"in_progress\",\"phase\":\"rewrapping\",\"done\":1,\"total\":5,"
                        + "\"driver\":\"worker-1/a\"}");
        case "inventory" -> printed("sqlite orders  v2       3000       3000");
        case "--check" -> printed("{\"orders\":3000,\"opened\":3000}");
        default -> printed();
      };
    }

    private CommandResult verifyResult(String command) {
      if (command.endsWith("json")) {
        return printed("{\"laggards\":[{\"pid\":102}]}");
      }
      return command.contains("target=1") || isFixed ? printed("READY") : notReady();
    }

    private static CommandResult notReady() {
      return new CommandResult(2, List.of(), List.of("NOT READY: target=2", LAGGARD));
    }

    @Override
    public void start(String name, String... arguments) {}

    @Override
    public long pid(String name) {
      return 100L + List.of("", "worker-1", "worker-2", "scheduler", "shop").indexOf(name);
    }

    @Override
    public void kill(String name) {
      isKilled = true;
    }

    @Override
    public CommandResult stop(String name) {
      return overrides.getOrDefault("shop", printed("{\"reads\":9,\"writes\":9,\"wrong\":0}"));
    }

    @Override
    public void copyKey(int version, String name) {
      isFixed |= version == 2 && name.equals("worker-2");
    }

    @Override
    public void deleteKey(int version) {}

    @Override
    public void pause(Duration duration) {}
  }
}
