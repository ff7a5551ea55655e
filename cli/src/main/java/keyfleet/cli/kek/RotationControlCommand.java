package keyfleet.cli.kek;

import java.util.function.Function;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.StoreOptions;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `kek pause`, `kek resume`, `kek abort`: a word to the rotation that is under way.
public final class RotationControlCommand implements Command {
  /// The word, and what it does.
  public enum Action {
    PAUSE("paused", "Lets the driver stop after its batch. Nothing is undone."),
    RESUME("resumed", "Lets a paused rotation go on."),
    ABORT(
        "aborted",
        "Turns a rotation back to the version it came from; what has moved moves back. Once the"
            + " stores take nothing but the new version, only forward is safe: then it refuses.");

    private final String done;
    private final String description;

    Action(String done, String description) {
      this.done = done;
      this.description = description;
    }
  }

  private final CommandContext office;
  private final Action word;

  public RotationControlCommand(CommandContext office, Action word) {
    this.office = office;
    this.word = word;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addKeyring(CommandSpec.wrapWithoutInspection(this));
    StoreOptions.addWithRecords(spec).addOption(OutputFormat.option());
    spec.usageMessage().description(word.description);
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession desk = office.desk(parsed)) {
      desk.keystore();
      Result result = order().apply(desk.orders());
      switch (result) {
        case Done _ -> office.console().err().println(desk.keyring() + ": " + word.done);
        case Unchanged _ ->
            office.console().err().println(desk.keyring() + ": " + word.done + " already");
        case Refused(String reason) ->
            throw CommandException.unmet(
                "cannot " + EnumText.of(word) + ": " + reason, "keyfleet kek status");
      }
      if (format == OutputFormat.JSON) {
        RotationStatus.at(desk).print(format, office.console().out());
      }
      return ExitCode.OK;
    }
  }

  private Function<KeyringOperations, Result> order() {
    return switch (word) {
      case PAUSE -> KeyringOperations::pause;
      case RESUME -> KeyringOperations::resume;
      case ABORT -> KeyringOperations::abort;
    };
  }
}
