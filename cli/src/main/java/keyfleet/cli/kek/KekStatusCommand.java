package keyfleet.cli.kek;

import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import picocli.CommandLine.ParseResult;

/// `kek status`: prints the progress of the rotation of a keyring.
public record KekStatusCommand(CommandContext context) implements Command {
  private static final String WATCH = "--watch";

  @Override
  public CommandOptions options() {
    return CommandOptions.of(this, "Shows the progress of a rotation and its failed records.")
        .flag(WATCH, "Go on until the rotation ends, as kek watch does.")
        .add(ConfigKeys.KEYRING, ConfigKeys.STORE)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    if (parsed.matchedOptionValue(WATCH, false)) {
      return new KekWatchCommand(context).run(parsed);
    }
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSessionForReading(parsed)) {
      RotationStatus.read(session).print(format, context.console().out());
      return ExitCode.OK;
    }
  }
}
