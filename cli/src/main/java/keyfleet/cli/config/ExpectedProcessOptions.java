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
    Map<String, String> rest =
        parsed.hasMatchedOption(MIN_PROCESSES) || parsed.hasMatchedOption(EXPECT)
            ? Map.of()
            : environment;
    Optional<ExpectedProcesses> least =
        Setting.of(parsed, MIN_PROCESSES, ConfigKey.MIN_PROCESSES, rest)
            .map(ExpectedProcessOptions::atLeast);
    Optional<ExpectedProcesses> named =
        Setting.of(parsed, EXPECT, ConfigKey.EXPECTED, rest).map(ExpectedProcessOptions::named);
    if (least.isPresent() && named.isPresent()) {
      throw new CommandException(
          "processes are expected by name and by number, and only one of them can hold",
          EXPECT + "=NAME,… alone, or " + MIN_PROCESSES + "=K alone");
    }
    return least.or(() -> named).orElseGet(AnyProcesses::new);
  }

  static AtLeast atLeast(Setting word) {
    return new AtLeast(word.count("processes", "3"));
  }

  private static Named named(Setting list) {
    TreeSet<String> names = new TreeSet<>();
    list.words().forEach(word -> names.add(instance(word)));
    return new Named(names);
  }

  static String instance(Setting word) {
    try {
      return ProcessSettings.requireValidName(word.text());
    } catch (MemberException e) {
      throw word.wrong(e.getMessage(), word.name() + "api-1");
    }
  }
}
