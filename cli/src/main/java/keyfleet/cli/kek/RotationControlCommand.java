package keyfleet.cli.kek;

import java.util.function.Function;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import picocli.CommandLine.ParseResult;

/// `kek pause`, `kek resume` and `kek abort`: control the current rotation.
public record RotationControlCommand(CommandContext context, Action action) implements Command {
  public enum Action {
    PAUSE(
        "paused",
        "Pauses the current rotation.",
        "The driver stops after its current batch. Records that it has moved stay moved."),
    RESUME("resumed", "Resumes a paused rotation.", "The driver continues where it stopped."),
    ABORT(
        "aborted",
        "Aborts the current rotation and moves its records back.",
        "Abort is refused once the stores accept only the new version; the rotation must then"
            + " complete.");

    private final String pastParticiple;
    private final String summary;
    private final String details;

    Action(String pastParticiple, String summary, String details) {
      this.pastParticiple = pastParticiple;
      this.summary = summary;
      this.details = details;
    }
  }

  @Override
  public CommandOptions options() {
    return CommandOptions.of(this, action.summary, action.details)
        .add(ConfigKeys.KEYRING, ConfigKeys.STORE, ConfigKeys.RECORDS)
        .outputFormat();
  }

  @Override
  public int run(ParseResult parsed) {
    OutputFormat format = OutputFormat.of(parsed);
    try (CommandSession session = context.openSession(parsed)) {
      session.requireKeystore();
      Result result = operation().apply(session.keyringOperations());
      if (result instanceof Refused refused) {
        throw CommandException.conditionNotMet(
            "cannot " + EnumText.toKebabCase(action) + " the rotation: " + refused.reason(),
            "keyfleet kek status" + KeyOptions.keyringFlag(session.keyring()));
      }
      String already = result instanceof Unchanged ? "already " : "";
      context
          .console()
          .printMessage(
              "keyring " + session.keyring() + ": rotation " + already + action.pastParticiple);
      if (format == OutputFormat.JSON) {
        RotationStatus.read(session).print(format, context.console().out());
      }
      return ExitCode.OK;
    }
  }

  private Function<KeyringOperations, Result> operation() {
    return switch (action) {
      case PAUSE -> KeyringOperations::pause;
      case RESUME -> KeyringOperations::resume;
      case ABORT -> KeyringOperations::abort;
    };
  }
}
