package keyfleet.cli.kek;

import java.util.function.Function;
import keyfleet.cli.command.Command;
import keyfleet.cli.command.CommandContext;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.command.OperationReport;
import keyfleet.cli.config.CommandOptions;
import keyfleet.cli.config.ConfigKeys;
import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.ExitCode;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rotation.KeyringOperations;
import keyfleet.control.rotation.KeyringOperations.Contended;
import keyfleet.control.rotation.KeyringOperations.Refused;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.control.rotation.KeyringOperations.Unchanged;
import keyfleet.keyring.Rotation;
import picocli.CommandLine.ParseResult;

/// `kek pause`, `kek resume` and `kek abort`: control the current rotation.
public record RotationControlCommand(CommandContext context, Action action) implements Command {
  public enum Action {
    PAUSE(
        "Pauses the current rotation.",
        "The driver stops after its current batch. Records that it has moved stay moved."),
    RESUME("Resumes a paused rotation.", "The driver continues where it stopped."),
    ABORT(
        "Aborts the current rotation and moves its records back.",
        "Abort is refused once the stores accept only the new version; the rotation must then"
            + " complete.");

    private final String summary;
    private final String details;

    Action(String summary, String details) {
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
      if (result instanceof Contended) {
        throw OperationReport.contended(session.keyring());
      }
      if (result instanceof Refused refused) {
        throw CommandException.conditionNotMet(
            "cannot " + EnumText.toKebabCase(action) + " the rotation: " + refused.reason(),
            session.remedyOfRefusal(
                "keyfleet kek status" + KeyOptions.keyringFlag(session.keyring())));
      }
      RotationStatus now = RotationStatus.read(session);
      context
          .console()
          .printMessage(
              "keyring %s: %s%s"
                  .formatted(
                      session.keyring(),
                      result instanceof Unchanged ? "nothing to do, " : "",
                      describe(now)));
      if (format == OutputFormat.JSON) {
        now.print(format, context.console().out());
      }
      return ExitCode.OK;
    }
  }

  /// What is true now: the driver notices the order with its next batch.
  private String describe(RotationStatus now) {
    return switch (now.rotation()) {
      case Rotation.Completed _ -> "the rotation is completed";
      case Rotation.Aborted _ -> "the rotation is aborted";
      case Rotation.Idle _ -> "no rotation is in progress";
      case Rotation.Paused _ ->
          "the rotation is paused in phase %s; the driver stops after its current batch"
              .formatted(now.phase());
      case Rotation.Running _, Rotation.Blocked _ ->
          action == Action.ABORT
              ? "the rotation is being reverted, in phase %s; to watch it: %s"
                  .formatted(
                      now.phase(),
                      context
                          .console()
                          .complete("keyfleet kek watch" + KeyOptions.keyringFlag(now.keyring())))
              : "the rotation continues in phase " + now.phase();
    };
  }

  private Function<KeyringOperations, Result> operation() {
    return switch (action) {
      case PAUSE -> KeyringOperations::pause;
      case RESUME -> KeyringOperations::resume;
      case ABORT -> KeyringOperations::abort;
    };
  }
}
