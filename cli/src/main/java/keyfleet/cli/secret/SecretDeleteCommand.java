package keyfleet.cli.secret;

import java.util.Optional;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rotation.ConflictRetry;
import keyfleet.store.Conflict;
import keyfleet.store.DeleteResult;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;
import picocli.CommandLine.ParseResult;

/// `secret delete NAME`: deletes a secret.
public record SecretDeleteCommand(CommandContext context) implements Command {
  @Override
  public CommandOptions options() {
    return SecretName.addTo(
        CommandOptions.of(this, "Deletes a secret.", "Exit: 0 deleted; 6 no such secret.")
            .add(ConfigKeys.KEYRING, ConfigKeys.STORE, ConfigKeys.RECORDS)
            .outputFormat());
  }

  @Override
  public int run(ParseResult parsed) {
    SecretName name = SecretName.of(parsed);
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSession(parsed)) {
      boolean isDeleted =
          session
              .conflictRetry()
              .run(() -> tryDelete(session, name) ? Optional.of(name) : Optional.empty())
              .isPresent();
      if (!isDeleted) {
        throw CommandException.conflict(
            "other writers kept changing %s for %d seconds"
                .formatted(name, ConflictRetry.TIME_LIMIT.toSeconds()),
            "keyfleet secret delete " + name + KeyOptions.keyringFlag(session.keyring()));
      }
      return report(name, format);
    }
  }

  private static boolean tryDelete(CommandSession session, SecretName name) {
    StoredRecord record = SecretCollection.require(session, name);
    SecretCollection collection = SecretCollection.find(session).orElseThrow();
    SecretCollection.requireAudited(
        session.keyring(),
        session
            .secretAuditWriter()
            .writeDeleteIntent(name.value(), SecretCollection.parseEnvelope(record).orElse(null)));
    return switch (collection.records().delete(record)) {
      case DeleteResult.Deleted() -> true;
      case Conflict() -> false;
      case Unknown() -> {
        if (collection.read(name).isEmpty()) {
          yield true;
        }
        throw new CommandException(
            "the store did not answer in time: " + name + " may or may not be deleted",
            "keyfleet secret delete " + name + KeyOptions.keyringFlag(session.keyring()));
      }
    };
  }

  private int report(SecretName name, OutputFormat format) {
    format.print(
        context.console().out(),
        _ -> context.console().printMessage("deleted " + name),
        json ->
            json.writeStringProperty("name", name.value()).writeBooleanProperty("deleted", true));
    return ExitCode.OK;
  }
}
