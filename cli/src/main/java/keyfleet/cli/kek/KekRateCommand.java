package keyfleet.cli.kek;

import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rotation.RotationRate;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationJob;
import picocli.CommandLine.ParseResult;

/// `kek rate`: changes the rate of the running rotation, whichever process drives it.
public record KekRateCommand(CommandContext context) implements Command {
  private static final String UNLIMITED = "unlimited";
  private static final String FORMAT = "0|[1-9][0-9]{0,8}";

  @Override
  public CommandOptions options() {
    return CommandOptions.of(
            this,
            "Changes the rate of the current rotation.",
            "The driver reads the rate before its next batch. It replaces the driver's own --rate"
                + " until the rotation ends.")
        .add(ConfigKeys.KEYRING, ConfigKeys.STORE)
        .parameter("N", "The maximum number of records per second; 0 or unlimited lifts the limit.")
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    int perSecond = parseRate(parsed.matchedPositionalValue(0, ""));
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSession(parsed)) {
      Keystore keystore = session.requireKeystore();
      RotationJob job =
          Rotation.unfinishedJob(keystore.rotation())
              .orElseThrow(() ->
                  CommandException.conditionNotMet(
                      "cannot set the rate: no rotation is under way",
                      "keyfleet kek status" + KeyOptions.keyringFlag(session.keyring())));
      RotationRate rate = new RotationRate(job.id(), perSecond);
      session.keyringStore().writeRate(rate);
      context
          .console()
          .printMessage(
              "keyring %s: rate of rotation %s is %s"
                  .formatted(session.keyring(), job.id(), rate.description()));
      if (format == OutputFormat.JSON) {
        RotationStatus.read(session).print(format, context.console().out());
      }
      return ExitCode.OK;
    }
  }

  private static int parseRate(String text) {
    if (text.equals(UNLIMITED)) {
      return 0;
    }
    if (!text.matches(FORMAT)) {
      throw new CommandException(
          "%s is not a number of records per second; use a whole number, or 0 for no limit"
              .formatted(Console.sanitize(text)),
          "keyfleet kek rate 500");
    }
    return Integer.parseInt(text);
  }
}
