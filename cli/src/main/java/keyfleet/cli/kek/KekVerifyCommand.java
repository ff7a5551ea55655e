package keyfleet.cli.kek;

import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.ExpectedProcessOptions;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.config.WaitOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.OutputFormat;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/// `kek verify --target=N`: is every process ready for this version? `kek verify --local`: does
/// every key of this host work?
public final class KekVerifyCommand implements Command {
  public static final String LOCAL = "--local";
  static final String TARGET = "--target";

  private final CommandContext context;

  public KekVerifyCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addTo(CommandSpec.wrapWithoutInspection(this));
    StoreOptions.addTo(spec);
    spec.addOption(
            OptionSpec.builder(TARGET)
                .paramLabel("N")
                .type(String.class)
                .description("Check the fleet: has every process version N?")
                .build())
        .addOption(
            OptionSpec.builder(LOCAL)
                .type(boolean.class)
                .description("Check the keys of this host only.")
                .build());
    WaitOptions.addTo(ExpectedProcessOptions.addTo(spec)).addOption(OutputFormat.option());
    spec.usageMessage()
        .description(
            "--target: asks every process of the fleet, by its heartbeat.",
            "Exit: 0 ready; 2 not ready; 1 no answer can be given.",
            "--local: wraps and unwraps once with every version that is loaded here.",
            "Exit: 0 all do; 2 one does not, or none is loaded; 1 bad input.");
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    boolean isLocal = parsed.matchedOptionValue(LOCAL, false);
    if (isLocal == parsed.hasMatchedOption(TARGET)) {
      throw new CommandException(
          "one of " + TARGET + " and " + LOCAL + " is needed, not both",
          "keyfleet kek verify --target=1, or keyfleet kek verify --local");
    }
    // A start of its own: the local check needs no store, and does not load what talks to one.
    return isLocal
        ? new LocalVerification(context.console(), context.runtime()).run(parsed)
        : new FleetVerification(context).run(parsed);
  }
}
