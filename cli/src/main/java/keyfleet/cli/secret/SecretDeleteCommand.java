package keyfleet.cli.secret;

import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.JsonOutput;
import keyfleet.cli.output.OutputFormat;
import keyfleet.store.Conflict;
import keyfleet.store.DeleteResult;
import keyfleet.store.StoredRecord;
import keyfleet.store.Unknown;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `secret delete NAME`.
public final class SecretDeleteCommand implements Command {
  private static final int TRIES = 5;

  private final CommandContext office;

  public SecretDeleteCommand(CommandContext office) {
    this.office = office;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = SecretName.addTo(CommandSpec.wrapWithoutInspection(this));
    KeyOptions.addKeyring(spec);
    StoreOptions.addWithRecords(spec).addOption(OutputFormat.option());
    spec.usageMessage()
        .description("Deletes a secret.", "Exit: 0 deleted; 6 there is none of that name.");
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    SecretName name = SecretName.of(parsed);
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession desk = office.desk(parsed)) {
      for (int i = 0; i < TRIES; i++) {
        if (isGone(desk, name)) {
          return said(name, format);
        }
      }
      throw CommandException.conflict(
          "others keep changing " + name, "keyfleet secret delete " + name + ", again");
    }
  }

  private static boolean isGone(CommandSession desk, SecretName name) {
    StoredRecord record = SecretCollection.needed(desk, name);
    SecretCollection shelf = SecretCollection.found(desk).orElseThrow();
    SecretCollection.audited(
        desk.secrets()
            .writeDeleteIntent(name.value(), SecretCollection.parsed(record).orElse(null)));
    return switch (shelf.records().delete(record)) {
      case DeleteResult.Deleted() -> true;
      case Conflict() -> false;
      case Unknown() -> {
        if (shelf.read(name).isEmpty()) {
          yield true;
        }
        throw new CommandException(
            "the store did not answer in time: " + name + " may be deleted yet",
            "keyfleet secret delete " + name + ", again");
      }
    };
  }

  private int said(SecretName name, OutputFormat format) {
    if (format == OutputFormat.JSON) {
      JsonOutput.print(
          office.console().out(),
          json ->
              json.writeStringProperty("name", name.value()).writeBooleanProperty("deleted", true));
    } else {
      office.console().err().println("deleted " + name);
    }
    return ExitCode.OK;
  }
}
