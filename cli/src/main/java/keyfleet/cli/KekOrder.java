package keyfleet.cli;

import java.util.function.Function;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/// `kek pause`, `kek resume`, `kek abort`: a word to the rotation that is under way.
final class KekOrder implements Command {
  /// The word, and what it does.
  enum Word {
    PAUSE("paused", "Lets the driver stop after its batch. Nothing is undone."),
    RESUME("resumed", "Lets a paused rotation go on."),
    ABORT(
        "aborted",
        "Turns a rotation back to the version it came from; what has moved moves back. Once the"
            + " stores take nothing but the new version, only forward is safe: then it refuses.");

    private final String done;
    private final String description;

    Word(String done, String description) {
      this.done = done;
      this.description = description;
    }
  }

  private final Office office;
  private final Word word;

  KekOrder(Office office, Word word) {
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
    try (Desk desk = office.desk(parsed)) {
      desk.keystore();
      Result result = order().apply(desk.orders());
      switch (result) {
        case Done _ -> office.console().err().println(desk.keyring() + ": " + word.done);
        case Unchanged _ ->
            office.console().err().println(desk.keyring() + ": " + word.done + " already");
        case Refused(String reason) ->
            throw CommandException.unmet(
                "cannot " + Words.of(word) + ": " + reason, "keyfleet kek status");
      }
      if (format == OutputFormat.JSON) {
        RotationView.at(desk).print(format, office.console().out());
      }
      return Exit.OK;
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
