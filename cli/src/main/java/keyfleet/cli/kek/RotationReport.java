package keyfleet.cli.kek;

import keyfleet.cli.config.KeyOptions;
import keyfleet.cli.kek.RotationStatus.Outcome;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.RotationJob.Kind;

/// Reports the end of a rotation that a command waited for.
record RotationReport(RotationJob job, RotationStatus last) {
  /// Prints the result and returns the exit code, or throws if the rotation did not complete.
  int print(Console console) {
    Outcome outcome = last.outcomeOf(job.id()).orElse(null);
    return switch (outcome) {
      case null ->
          throw CommandException.conditionNotMet(
              "timeout reached in phase %s; the rotation continues".formatted(last.phase()),
              "keyfleet kek watch" + KeyOptions.keyringFlag(last.keyring()));
      case COMPLETED -> ExitCode.OK;
      case ABORTED ->
          throw CommandException.conditionNotMet(
              "the rotation was aborted",
              "keyfleet kek status" + KeyOptions.keyringFlag(last.keyring()));
      case BLOCKED ->
          throw CommandException.conditionNotMet(
              last.failed() + " records cannot be moved until they are repaired",
              "keyfleet kek status" + KeyOptions.keyringFlag(last.keyring()));
      case DROPPED -> job.kind() == Kind.DRY_RUN ? printDryRun(console) : failDropped();
    };
  }

  private int printDryRun(Console console) {
    RotationProgress found = last.progress();
    if (!found.rotation().equals(job.id()) || !hasPassedGate()) {
      return failDropped();
    }
    console.printMessage(
        "dry run: %d checked, %d would fail".formatted(found.total(), found.failed()));
    found.failures().forEach(it -> console.printMessage(RotationStatus.describe(it)));
    if (found.failed() > 0) {
      throw CommandException.conditionNotMet(
          found.failed() + " records would fail",
          "repair or delete them, then: keyfleet kek rotate --from-version=%d --to-version=%d --dry-run%s"
              .formatted(
                  job.from().number(), job.to().number(), KeyOptions.keyringFlag(last.keyring())));
    }
    return ExitCode.OK;
  }

  /// Whether the dry run passed the gate and read the records.
  private boolean hasPassedGate() {
    return last.progress().hasPassedGate();
  }

  private int failDropped() {
    String note = last.progress().rotation().equals(job.id()) ? last.progress().note() : "";
    throw CommandException.conditionNotMet(
        "the rotation was dropped" + (note.isEmpty() ? "" : ": " + Console.sanitize(note)),
        "keyfleet kek verify --target="
            + job.to().number()
            + KeyOptions.keyringFlag(last.keyring()));
  }
}
