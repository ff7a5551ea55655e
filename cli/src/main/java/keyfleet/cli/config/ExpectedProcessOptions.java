package keyfleet.cli.config;

import static keyfleet.cli.config.ConfigKeys.EXPECTED;
import static keyfleet.cli.config.ConfigKeys.MIN_PROCESSES;

import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import keyfleet.cli.output.CommandException;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.ReadinessGate.Named;
import picocli.CommandLine.ParseResult;

/// The options that say which processes the gate expects: a number, or names. Without either, the
/// gate accepts any processes that it finds.
public final class ExpectedProcessOptions {
  private ExpectedProcessOptions() {}

  public static CommandOptions addTo(CommandOptions options) {
    return options.add(MIN_PROCESSES, EXPECTED);
  }

  /// A flag replaces both variables, and with them the file.
  public static ExpectedProcesses of(ParseResult parsed, Map<String, String> environment) {
    boolean hasFlag =
        parsed.hasMatchedOption(MIN_PROCESSES.flag()) || parsed.hasMatchedOption(EXPECTED.flag());
    Map<String, String> variables = hasFlag ? Map.of() : environment;
    Optional<ExpectedProcesses> minimum = MIN_PROCESSES.find(parsed, variables);
    Optional<ExpectedProcesses> named =
        EXPECTED.findAll(parsed, variables).map(names -> new Named(new TreeSet<>(names)));
    if (minimum.isPresent() && named.isPresent()) {
      throw new CommandException(
          "processes are expected both by name and by number; only one is allowed",
          EXPECTED.flag() + "=NAME,… alone, or " + MIN_PROCESSES.flag() + "=K alone");
    }
    return minimum.or(() -> named).orElseGet(AnyProcesses::new);
  }
}
