package keyfleet.cli.kek;

import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.JsonOutput;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.FleetReadiness.AnyProcesses;
import keyfleet.keyring.FleetReadiness.AtLeast;
import keyfleet.keyring.FleetReadiness.Named;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Aborted;
import keyfleet.keyring.Rotation.Blocked;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Rotation.Idle;
import keyfleet.keyring.Rotation.Paused;
import keyfleet.keyring.Rotation.Running;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.RotationJob;
import tools.jackson.core.JsonGenerator;

/// A keyring's rotation as it stood at one moment.
///
/// @param progress what the last rotation that reported had reported; it may be an earlier one's
record RotationStatus(KeyringName keyring, Keystore keystore, RotationProgress rotationProgress) {
  /// What became of a rotation that somebody waits for.
  enum Outcome {
    COMPLETED,
    ABORTED,
    /// Records are left that only a person can mend.
    BLOCKED,
    /// It never passed its gate, was a dry run, or gave way to another.
    DROPPED
  }

  static RotationStatus read(CommandSession session) {
    Keystore keystore = session.requireKeystore();
    RotationProgress progress =
        session.keyringStore().readProgress().orElseGet(() -> noProgress(keystore));
    return new RotationStatus(session.keyring(), keystore, progress);
  }

  private static RotationProgress noProgress(Keystore keystore) {
    RotationId id =
        Rotation.lastJob(keystore.rotation()).map(RotationJob::id).orElse(new RotationId("-"));
    return new RotationProgress(id, 0, 0, 0, "", List.of());
  }

  Rotation rotation() {
    return keystore.rotation();
  }

  /// Nothing if none was ever ordered, or the last came to nothing.
  Optional<RotationJob> rotationJob() {
    return Rotation.lastJob(rotation());
  }

  boolean isUnderWay() {
    return Rotation.unfinishedJob(rotation()).isPresent();
  }

  /// Nothing while it goes on.
  Optional<Outcome> outcomeOf(RotationId id) {
    if (rotationJob().filter(it -> it.id().equals(id)).isEmpty()) {
      return Optional.of(Outcome.DROPPED);
    }
    return switch (rotation()) {
      case Completed _ -> Optional.of(Outcome.COMPLETED);
      case Aborted _ -> Optional.of(Outcome.ABORTED);
      case Blocked _ -> Optional.of(Outcome.BLOCKED);
      case Idle _ -> Optional.of(Outcome.DROPPED);
      case Running _, Paused _ -> Optional.empty();
    };
  }

  String state() {
    return switch (rotation()) {
      case Running _, Blocked _ -> "in_progress";
      case Paused _ -> "paused";
      case Completed _ -> "completed";
      case Aborted _ -> "aborted";
      case Idle _ -> "none";
    };
  }

  String phase() {
    return rotation().phase();
  }

  /// Whether the progress is this rotation's. Without one, it is what became of the last.
  private boolean hasOwnProgress() {
    return rotationJob().map(it -> it.id().equals(rotationProgress.rotation())).orElse(true);
  }

  long total() {
    return hasOwnProgress() ? rotationProgress.total() : 0;
  }

  long done() {
    return hasOwnProgress() ? rotationProgress.done() : 0;
  }

  long failed() {
    return rotation() instanceof Blocked(_, long failed) && !hasOwnProgress()
        ? failed
        : hasOwnProgress() ? rotationProgress.failed() : 0;
  }

  String note() {
    return hasOwnProgress() ? Console.sanitize(rotationProgress.note()) : "";
  }

  String versionChange() {
    return rotationJob().map(it -> it.from() + " -> " + it.to()).orElse("");
  }

  void print(OutputFormat format, PrintStream out) {
    switch (format) {
      case TABLE -> printTable(out);
      case JSON -> JsonOutput.print(out, this::write);
    }
  }

  private void printTable(PrintStream out) {
    out.println(
        "keyring   " + keyring + ", active " + keystore.active() + ", epoch " + keystore.epoch());
    rotationJob()
        .ifPresent(rotationJob -> {
          out.println(
              "rotation  "
                  + rotationJob.id()
                  + " ("
                  + EnumText.toKebabCase(rotationJob.kind())
                  + ")");
          out.println(
              "course    "
                  + versionChange()
                  + (rotationJob.course() == RotationJob.Course.TURNED ? ", going back" : ""));
          out.println(
              "driver    "
                  + (rotationJob.driver().isEmpty()
                      ? "nobody yet"
                      : Console.sanitize(rotationJob.driver())));
          if (!(rotationJob.expectedProcesses() instanceof AnyProcesses)) {
            out.println(
                "expects   " + Console.sanitize(rotationJob.expectedProcesses().description()));
          }
        });
    out.println("state     " + state() + ", " + phase());
    out.println("records   " + done() + " of " + total() + " done, " + failed() + " failed");
    if (!note().isEmpty()) {
      out.println("note      " + note());
    }
    if (hasOwnProgress()) {
      rotationProgress.failures().forEach(it -> out.println("failed    " + describe(it)));
    }
  }

  static String describe(RotationProgress.Failure failure) {
    return Console.sanitize(
        "%s %s: %s".formatted(failure.collection(), failure.id(), failure.reason()));
  }

  private void write(JsonGenerator json) {
    json.writeStringProperty("keyring", keyring.value())
        .writeStringProperty("state", state())
        .writeStringProperty("phase", phase())
        .writeNumberProperty("total", total())
        .writeNumberProperty("done", done())
        .writeNumberProperty("failed_records", failed())
        .writeNumberProperty("active", keystore.active().number())
        .writeNumberProperty("epoch", keystore.epoch());
    rotationJob().ifPresent(rotationJob -> write(json, rotationJob));
    json.writeStringProperty("note", note());
    json.writeArrayPropertyStart("failures");
    for (RotationProgress.Failure it :
        hasOwnProgress() ? rotationProgress.failures() : List.<RotationProgress.Failure>of()) {
      json.writeStartObject()
          .writeStringProperty("collection", it.collection())
          .writeStringProperty("id", it.id())
          .writeStringProperty("reason", it.reason())
          .writeEndObject();
    }
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, RotationJob rotationJob) {
    json.writeStringProperty("rotation", rotationJob.id().value())
        .writeStringProperty("kind", EnumText.toSnakeCase(rotationJob.kind()))
        .writeNumberProperty("from_version", rotationJob.from().number())
        .writeNumberProperty("to_version", rotationJob.to().number())
        .writeStringProperty("course", EnumText.toSnakeCase(rotationJob.course()))
        .writeStringProperty("driver", rotationJob.driver());
    switch (rotationJob.expectedProcesses()) {
      case AnyProcesses() -> {}
      case AtLeast(int processes) -> json.writeNumberProperty("min_processes", processes);
      case Named(var instances) -> {
        json.writeArrayPropertyStart("expected");
        instances.forEach(json::writeString);
        json.writeEndArray();
      }
    }
  }
}
