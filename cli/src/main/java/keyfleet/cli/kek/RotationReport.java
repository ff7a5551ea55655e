package keyfleet.cli.kek;

import keyfleet.cli.kek.RotationStatus.Outcome;
import keyfleet.cli.output.CommandException;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.ExitCode;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.RotationJob.Kind;

/// What a rotation that somebody waited for came to.
record RotationReport(RotationJob rotationJob, RotationStatus last) {
  /// What drivers write into the progress of a dry run that found nothing wrong.
  private static final String READY_NOTE = "ready";

  /// Says it, and returns the exit code.
  int print(Console console) {
    Outcome outcome = last.outcomeOf(rotationJob.id()).orElse(null);
    return switch (outcome) {
      case null ->
          throw CommandException.conditionNotMet(
              "time is up while it is %s; it goes on".formatted(last.phase()),
              "keyfleet kek watch");
      case COMPLETED -> ExitCode.OK;
      case ABORTED ->
          throw CommandException.conditionNotMet("it was aborted", "keyfleet kek status");
      case BLOCKED ->
          throw CommandException.conditionNotMet(
              last.failed() + " records cannot be moved until a person mends them",
              "keyfleet kek status");
      case DROPPED -> rotationJob.kind() == Kind.DRY_RUN ? printDryRun(console) : failDropped();
    };
  }

  private int printDryRun(Console console) {
    RotationProgress found = last.rotationProgress();
    if (!found.rotation().equals(rotationJob.id()) || !hasPassedGate()) {
      return failDropped();
    }
    console
        .err()
        .println(
            "dry run %s -> %s: %d records, %d would fail; nothing was changed"
                .formatted(rotationJob.from(), rotationJob.to(), found.total(), found.failed()));
    found.failures().forEach(it -> console.err().println(RotationStatus.describe(it)));
    if (found.failed() > 0) {
      throw CommandException.conditionNotMet(
          found.failed() + " records would fail", "mend or delete them, then the dry run again");
    }
    return ExitCode.OK;
  }

  /// Whether it got past the gate.
  private boolean hasPassedGate() {
    return last.rotationProgress().note().equals(READY_NOTE)
        || last.rotationProgress().failed() > 0;
  }

  private int failDropped() {
    String note =
        last.rotationProgress().rotation().equals(rotationJob.id())
            ? last.rotationProgress().note()
            : "";
    throw CommandException.conditionNotMet(
        "it came to nothing" + (note.isEmpty() ? "" : ": " + Console.sanitize(note)),
        "keyfleet kek verify --target=" + rotationJob.to().number());
  }
}
