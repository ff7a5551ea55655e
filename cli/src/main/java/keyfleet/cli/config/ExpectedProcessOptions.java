package keyfleet.cli.config;

import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import keyfleet.cli.output.CommandException;
import keyfleet.keyring.FleetReadiness.AnyProcesses;
import keyfleet.keyring.FleetReadiness.AtLeast;
import keyfleet.keyring.FleetReadiness.ExpectedProcesses;
import keyfleet.keyring.FleetReadiness.Named;
import keyfleet.member.MemberException;
import keyfleet.member.ProcessSettings;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// Whom the gate waits for: as many as were said, or those that were named. Without a word on it,
/// whoever is there.
public final class ExpectedProcessOptions {
  static final String MIN_PROCESSES = "--min-processes";
  static final String EXPECT = "--expect";

  private ExpectedProcessOptions() {}

  public static CommandSpec addTo(CommandSpec spec) {
    return spec.addOption(
            option(MIN_PROCESSES, "K", "The fleet is not ready with fewer fresh processes."))
        .addOption(
            option(EXPECT, "NAME,…", "The fleet is not ready without these, by instance name."));
  }

  private static OptionSpec option(String name, String label, String description) {
    return OptionSpec.builder(name)
        .paramLabel(label)
        .type(String.class)
        .description(description)
        .build();
  }

  /// What a flag says counts, whatever the variables and the file say.
  public static ExpectedProcesses of(ParseResult parsed, Map<String, String> environment) {
    Map<String, String> fallback =
        parsed.hasMatchedOption(MIN_PROCESSES) || parsed.hasMatchedOption(EXPECT)
            ? Map.of()
            : environment;
    Optional<ExpectedProcesses> minimum =
        Setting.find(parsed, MIN_PROCESSES, ConfigKey.MIN_PROCESSES, fallback)
            .map(ExpectedProcessOptions::atLeast);
    Optional<ExpectedProcesses> named =
        Setting.find(parsed, EXPECT, ConfigKey.EXPECTED, fallback)
            .map(ExpectedProcessOptions::named);
    if (minimum.isPresent() && named.isPresent()) {
      throw new CommandException(
          "processes are expected by name and by number, and only one of them can hold",
          EXPECT + "=NAME,… alone, or " + MIN_PROCESSES + "=K alone");
    }
    return minimum.or(() -> named).orElseGet(AnyProcesses::new);
  }

  static AtLeast atLeast(Setting setting) {
    return new AtLeast(setting.toCount("processes", "3"));
  }

  private static Named named(Setting list) {
    TreeSet<String> names = new TreeSet<>();
    list.splitAtCommas().forEach(setting -> names.add(requireInstanceName(setting)));
    return new Named(names);
  }

  static String requireInstanceName(Setting setting) {
    try {
      return ProcessSettings.requireValidName(setting.text());
    } catch (MemberException e) {
      throw setting.rejected(e.getMessage(), setting.name() + "api-1");
    }
  }
}
