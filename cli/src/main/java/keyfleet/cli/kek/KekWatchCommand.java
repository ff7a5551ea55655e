package keyfleet.cli.kek;

import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.WaitOptions.Deadline;
import keyfleet.cli.kek.RotationDisplay.DisplayMode;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.keyring.Rotation;
import picocli.CommandLine.ParseResult;

/// `kek watch`: shows the current rotation until it ends.
public record KekWatchCommand(CommandContext context) implements Command {
  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Shows the current rotation until it ends.",
            "Ctrl-C ends the command, not the rotation.",
            "Exit: 0 completed, or no rotation is running; 2 the rotation ended without being"
                + " completed.")
        .add(ConfigKeys.KEYRING, ConfigKeys.STORE)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    Console console = context.console();
    try (CommandSession session = context.openSessionForReading(parsed)) {
      RotationStatus first = RotationStatus.read(session);
      if (!first.isUnderWay()) {
        first.print(format, console.out());
        return ExitCode.OK;
      }
      RotationDisplay display = new RotationDisplay(console, DisplayMode.of(console, format));
      RotationStatus last =
          new RotationWatcher(session, console, display)
              .watchUntil(status -> !status.isUnderWay(), Deadline.never(session.ticker()));
      return last.rotation() instanceof Rotation.Completed
          ? ExitCode.OK
          : ExitCode.CONDITION_NOT_MET;
    }
  }
}
