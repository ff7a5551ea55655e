package keyfleet.cli.kek;

import java.util.Optional;
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
        .add(ConfigKeys.KEYRING, ConfigKeys.STORE, ConfigKeys.RECORDS)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    if (parsed.matchedOptionValue(WATCH, false)) {
      return new KekWatchCommand(context).run(parsed);
    }
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSessionForReading(parsed)) {
      Optional<HoldNotice> hold = session.findSafeHold().map(HoldNotice::new);
      RotationStatus status = RotationStatus.read(session);
      format.print(
          context.console().out(),
          status::printTable,
          json -> {
            status.write(json);
            hold.ifPresent(it -> it.write(json));
          });
      hold.ifPresent(it -> it.print(context.console(), session.keyring()));
      return ExitCode.OK;
    }
  }
}
