package keyfleet.cli.command;

import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rotation.ConflictRetry;
import keyfleet.control.rotation.KeyringOperations.Contended;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import keyfleet.crypto.KeyringName;

/// The report of an operation that either happens as a whole or is refused.
///
/// @param done the sentence for what happened
/// @param remedy what to type if it was refused
public record OperationReport(KeyringName keyring, String done, String remedy) {
  /// Returns the exit code. Throws if the operation was refused.
  public int print(Result result, OutputFormat format, Console console) {
    String sentence =
        switch (result) {
          case Done _ -> done;
          case Unchanged _ -> done + " already";
          case Contended _ -> throw contended(keyring);
          case Refused refused ->
              throw CommandException.conditionNotMet(
                  Console.sanitize(refused.reason()) + "; nothing was changed", remedy);
        };
    format.print(
        console.out(),
        _ -> console.printMessage("keyring " + keyring + ": " + sentence),
        json ->
            json.writeStringProperty("keyring", keyring.value())
                .writeBooleanProperty("done", true)
                .writeBooleanProperty("changed", result instanceof Done));
    return ExitCode.OK;
  }

  /// The failure of an operation that other processes kept from the keystore.
  public static CommandException contended(KeyringName keyring) {
    return CommandException.conflict(
        "other processes kept changing the keystore of keyring %s for %d seconds, so this command"
                .formatted(keyring, ConflictRetry.TIME_LIMIT.toSeconds())
            + " gave up",
        "run the same command again");
  }
}
