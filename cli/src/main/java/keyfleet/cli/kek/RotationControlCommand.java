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

    private final String pastParticiple;
    private final String description;

    Action(String pastParticiple, String description) {
      this.pastParticiple = pastParticiple;
      this.description = description;
    }
  }

  private final CommandContext context;
  private final Action action;

  public RotationControlCommand(CommandContext context, Action action) {
    this.context = context;
    this.action = action;
  }

  @Override
  public CommandSpec spec() {
    CommandSpec spec = KeyOptions.addKeyring(CommandSpec.wrapWithoutInspection(this));
    StoreOptions.addWithRecords(spec).addOption(OutputFormat.option());
    spec.usageMessage().description(action.description);
    return spec;
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSession(parsed)) {
      session.requireKeystore();
      Result result = toOrder().apply(session.rotationOrders());
      switch (result) {
        case Done _ ->
            context.console().err().println(session.keyring() + ": " + action.pastParticiple);
        case Unchanged _ ->
            context
                .console()
                .err()
                .println(session.keyring() + ": " + action.pastParticiple + " already");
        case Refused(String reason) ->
            throw CommandException.conditionNotMet(
                "cannot " + EnumText.toKebabCase(action) + ": " + reason, "keyfleet kek status");
      }
      if (format == OutputFormat.JSON) {
        RotationStatus.read(session).print(format, context.console().out());
      }
      return ExitCode.OK;
    }
  }

  private Function<KeyringOperations, Result> toOrder() {
    return switch (action) {
      case PAUSE -> KeyringOperations::pause;
      case RESUME -> KeyringOperations::resume;
      case ABORT -> KeyringOperations::abort;
    };
  }
}
