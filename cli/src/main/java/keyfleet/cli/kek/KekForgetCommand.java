package keyfleet.cli.kek;

import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.Confirmation;
import keyfleet.cli.command.OperationReport;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.OutputFormat;
import keyfleet.keyring.Keystore;
import keyfleet.member.MemberException;
import keyfleet.member.ProcessSettings;
import picocli.CommandLine.ParseResult;

/// `kek forget`: takes a silent process out of the fleet.
public record KekForgetCommand(CommandContext context) implements Command {
  private static final String INSTANCE = "--instance";

  @Override
  public CommandOptions options() {
    return Confirmation.addTo(
        CommandOptions.of(
                this,
                "Forgets a process that will not return.",
                "A gate no longer waits for it. A process that runs cannot be forgotten: stop it, and"
                    + " it leaves by itself.",
                "Exit: 0 forgotten; 2 refused, with the reason; 1 an error.")
            .add(ConfigKeys.KEYRING, ConfigKeys.STORE, ConfigKeys.RECORDS)
            .required(INSTANCE, "NAME", "The process, as kek verify names it.")
            .outputFormat());
  }

  @Override
  public int run(ParseResult parsed) {
    String instance = parseInstance(parsed.matchedOptionValue(INSTANCE, ""));
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSession(parsed)) {
      Keystore keystore = session.requireKeystore();
      String keyring = KeyOptions.keyringFlag(session.keyring());
      Confirmation.require(
          context.console(),
          parsed,
          instance,
          "If "
              + instance
              + " is a plugin that still runs, its API server may store values that"
              + " other plugins cannot read.",
          "keyfleet kek forget --instance=" + instance + keyring);
      return new OperationReport(
              session.keyring(), instance + " is forgotten", "keyfleet kek list" + keyring)
          .print(session.fleetOperations().forget(keystore, instance), format, context.console());
    }
  }

  private static String parseInstance(String name) {
    try {
      return ProcessSettings.requireValidName(name);
    } catch (MemberException e) {
      throw new CommandException(INSTANCE + ": " + e.getMessage(), INSTANCE + "=NAME");
    }
  }
}
