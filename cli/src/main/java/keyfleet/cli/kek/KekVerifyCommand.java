package keyfleet.cli.kek;

import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.ExpectedProcessOptions;
import keyfleet.cli.config.WaitOptions;
import keyfleet.cli.output.CommandException;
import picocli.CommandLine.ParseResult;

/// Two checks: `kek verify --target=N` whether every process is ready for a version, `kek verify
/// --local` whether every key of this host works.
public record KekVerifyCommand(CommandContext context) implements Command {
  public static final String LOCAL = "--local";
  static final String TARGET = "--target";

  @Override
  public CommandOptions options() {
    CommandOptions options =
        CommandOptions.of(
            this,
            "Checks whether all processes are ready for a key version.",
            "--target: compares the heartbeats of all processes with version N.",
            "Exit: 0 ready; 2 not ready; 1 the check is not possible.",
            "--local: wraps and unwraps once with every version that is loaded on this host.",
            "Exit: 0 all keys work; 2 one fails, or none is loaded; 1 bad input.");
    return WaitOptions.addTo(ExpectedProcessOptions.addTo(options))
        .add(ConfigKeys.KEYRING, ConfigKeys.PROVIDERS, ConfigKeys.STORE, ConfigKeys.RECORDS)
        .text(TARGET, "N", "Check the fleet: is every process ready for version N?")
        .flag(LOCAL, "Check the keys of this host only.")
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    boolean isLocal = parsed.matchedOptionValue(LOCAL, false);
    if (isLocal == parsed.hasMatchedOption(TARGET)) {
      throw new CommandException(
          "give either " + TARGET + " or " + LOCAL,
          "add --target=1 to check the fleet, or --local to check the keys of this host");
    }
    // Two classes: the local check needs no store, and must not load the classes that use one.
    return isLocal
        ? new LocalVerification(context.console(), context.runtime()).run(parsed)
        : ReadinessCheck.verify(context, parsed);
  }
}
