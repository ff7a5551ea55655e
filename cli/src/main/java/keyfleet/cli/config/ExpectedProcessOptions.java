package keyfleet.cli.config;

import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import keyfleet.cli.output.CommandException;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.AtLeast;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.ReadinessGate.Named;
import keyfleet.member.MemberException;
import keyfleet.member.ProcessSettings;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// The options that say which processes the gate expects: a number, or names. Without either, the
/// gate accepts any processes that it finds.
public final class ExpectedProcessOptions {
  static final String MIN_PROCESSES = "--min-processes";
  static final String EXPECT = "--expect";

  private ExpectedProcessOptions() {}

  public static CommandSpec addTo(CommandSpec spec) {
    return spec.addOption(
            option(
                MIN_PROCESSES,
                "K",
                "The number of fresh processes that the fleet needs to be ready."))
        .addOption(
            option(
                EXPECT,
                "NAME,…",
                "The processes that the fleet needs to be ready, by instance name."));
  }

  private static OptionSpec option(String name, String label, String description) {
    return OptionSpec.builder(name)
        .paramLabel(label)
        .type(String.class)
        .description(description)
        .build();
  }

  /// A flag replaces both variables, and with them the file.
  public static ExpectedProcesses of(ParseResult parsed, Map<String, String> environment) {
    Map<String, String> variables =
        parsed.hasMatchedOption(MIN_PROCESSES) || parsed.hasMatchedOption(EXPECT)
            ? Map.of()
            : environment;
    Optional<ExpectedProcesses> minimum =
        Setting.find(parsed, MIN_PROCESSES, ConfigKey.MIN_PROCESSES, variables)
            .map(ExpectedProcessOptions::parseMinimum);
    Optional<ExpectedProcesses> named =
        Setting.find(parsed, EXPECT, ConfigKey.EXPECTED, variables)
            .map(ExpectedProcessOptions::parseNames);
    if (minimum.isPresent() && named.isPresent()) {
      throw new CommandException(
          "processes are expected both by name and by number; only one is allowed",
          EXPECT + "=NAME,… alone, or " + MIN_PROCESSES + "=K alone");
    }
    return minimum.or(() -> named).orElseGet(AnyProcesses::new);
  }

  static AtLeast parseMinimum(Setting setting) {
    return new AtLeast(setting.toCount("processes", "3"));
  }

  private static Named parseNames(Setting list) {
    TreeSet<String> names = new TreeSet<>();
    list.splitAtCommas().forEach(setting -> names.add(requireInstanceName(setting)));
    return new Named(names);
  }

  static String requireInstanceName(Setting setting) {
    try {
      return ProcessSettings.requireValidName(setting.text());
    } catch (MemberException e) {
      throw setting.rejection(e.getMessage(), setting.name() + "api-1");
    }
  }
}
