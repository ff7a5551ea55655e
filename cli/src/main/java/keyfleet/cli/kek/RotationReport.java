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
  private static final String READY = "ready";

  /// Says it, and returns the exit code.
  int exit(Console console) {
    Outcome end = last.endOf(rotationJob.id()).orElse(null);
    return switch (end) {
      case null ->
          throw CommandException.unmet(
              "time is up while it is %s; it goes on".formatted(last.phase()),
              "keyfleet kek watch");
      case COMPLETED -> ExitCode.OK;
      case ABORTED -> throw CommandException.unmet("it was aborted", "keyfleet kek status");
      case BLOCKED ->
          throw CommandException.unmet(
              last.failed() + " records cannot be moved until a person mends them",
              "keyfleet kek status");
      case DROPPED -> rotationJob.kind() == Kind.DRY_RUN ? rehearsed(console) : dropped();
    };
  }

  private int rehearsed(Console console) {
    RotationProgress found = last.rotationProgress();
    if (!found.rotation().equals(rotationJob.id()) || !isCounted()) {
      return dropped();
    }
    console
        .err()
        .println(
            "dry run %s -> %s: %d records, %d would fail; nothing was changed"
                .formatted(rotationJob.from(), rotationJob.to(), found.total(), found.failed()));
    found.failures().forEach(it -> console.err().println(RotationStatus.words(it)));
    if (found.failed() > 0) {
      throw CommandException.unmet(
          found.failed() + " records would fail", "mend or delete them, then the dry run again");
    }
    return ExitCode.OK;
  }

  /// Whether it got past the gate.
  private boolean isCounted() {
    return last.rotationProgress().note().equals(READY) || last.rotationProgress().failed() > 0;
  }

  private int dropped() {
    String note =
        last.rotationProgress().rotation().equals(rotationJob.id())
            ? last.rotationProgress().note()
            : "";
    throw CommandException.unmet(
        "it came to nothing" + (note.isEmpty() ? "" : ": " + Console.plain(note)),
        "keyfleet kek verify --target=" + rotationJob.to().number());
  }
}
