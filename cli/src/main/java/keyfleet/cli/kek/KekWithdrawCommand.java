package keyfleet.cli.kek;

import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.Confirmation;
import keyfleet.cli.command.OperationReport;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.OutputFormat;
import keyfleet.crypto.KekVersion;
import picocli.CommandLine.ParseResult;

/// `kek withdraw`: takes back the announcement of a version.
public record KekWithdrawCommand(CommandContext context) implements Command {
  @Override
  public CommandOptions options() {
    return Confirmation.addTo(
        CommandOptions.of(
                this,
                "Takes back the announcement of a version.",
                "Refused once anything may have been sealed under it. Its number is never used"
                    + " again: announce the next one.",
                "Exit: 0 withdrawn; 2 refused, with the reason; 1 an error.")
            .add(ConfigKeys.KEYRING, ConfigKeys.STORE, ConfigKeys.RECORDS)
            .required(KeyOptions.VERSION, "N", "The version to withdraw.")
            .outputFormat());
  }

  @Override
  public int run(ParseResult parsed) {
    KekVersion version = KeyOptions.version(parsed);
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSession(parsed)) {
      session.requireKeystore();
      String keyring = KeyOptions.keyringFlag(session.keyring());
      Confirmation.require(
          context.console(),
          parsed,
          version.toString(),
          "The number of " + version + " can never be used again.",
          "keyfleet kek withdraw --version=" + version.number() + keyring);
      return new OperationReport(
              session.keyring(), version + " is withdrawn", "keyfleet kek list" + keyring)
          .print(session.keyringOperations().withdraw(version), format, context.console());
    }
  }
}
