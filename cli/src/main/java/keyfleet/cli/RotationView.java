package keyfleet.cli;

import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import keyfleet.control.Progress;
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
record RotationView(KeyringName keyring, Keystore keystore, Progress progress) {
  /// What became of a rotation that somebody waits for.
  enum End {
    COMPLETED,
    ABORTED,
    /// Records are left that only a person can mend.
    BLOCKED,
    /// It never passed its gate, was a dry run, or gave way to another.
    DROPPED
  }

  static RotationView at(Desk desk) {
    Keystore keystore = desk.keystore();
    Progress reported = desk.ring().progress().orElseGet(() -> nothing(keystore));
    return new RotationView(desk.keyring(), keystore, reported);
  }

  private static Progress nothing(Keystore keystore) {
    RotationId id =
        Rotation.job(keystore.rotation()).map(RotationJob::id).orElse(new RotationId("-"));
    return new Progress(id, 0, 0, 0, "", List.of());
  }

  Rotation rotation() {
    return keystore.rotation();
  }

  /// Nothing if none was ever ordered, or the last came to nothing.
  Optional<RotationJob> job() {
    return Rotation.job(rotation());
  }

  boolean isUnderWay() {
    return Rotation.underWay(rotation()).isPresent();
  }

  /// Nothing while it goes on.
  Optional<End> endOf(RotationId id) {
    if (job().filter(it -> it.id().equals(id)).isEmpty()) {
      return Optional.of(End.DROPPED);
    }
    return switch (rotation()) {
      case Completed _ -> Optional.of(End.COMPLETED);
      case Aborted _ -> Optional.of(End.ABORTED);
      case Blocked _ -> Optional.of(End.BLOCKED);
      case Idle _ -> Optional.of(End.DROPPED);
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
  private boolean isReported() {
    return job().map(it -> it.id().equals(progress.rotation())).orElse(true);
  }

  long total() {
    return isReported() ? progress.total() : 0;
  }

  long done() {
    return isReported() ? progress.done() : 0;
  }

  long failed() {
    return rotation() instanceof Blocked(_, long failed) && !isReported()
        ? failed
        : isReported() ? progress.failed() : 0;
  }

  String note() {
    return isReported() ? Console.plain(progress.note()) : "";
  }

  String course() {
    return job().map(it -> it.from() + " -> " + it.to()).orElse("");
  }

  void print(OutputFormat format, PrintStream out) {
    switch (format) {
      case TABLE -> printTable(out);
      case JSON -> Json.print(out, this::write);
    }
  }

  private void printTable(PrintStream out) {
    out.println(
        "keyring   " + keyring + ", active " + keystore.active() + ", epoch " + keystore.epoch());
    job()
        .ifPresent(job -> {
          out.println("rotation  " + job.id() + " (" + Words.of(job.kind()) + ")");
          out.println(
              "course    "
                  + course()
                  + (job.course() == RotationJob.Course.TURNED ? ", going back" : ""));
          out.println(
              "driver    " + (job.driver().isEmpty() ? "nobody yet" : Console.plain(job.driver())));
          if (!(job.expected() instanceof AnyProcesses)) {
            out.println("expects   " + Console.plain(job.expected().words()));
          }
        });
    out.println("state     " + state() + ", " + phase());
    out.println("records   " + done() + " of " + total() + " done, " + failed() + " failed");
    if (!note().isEmpty()) {
      out.println("note      " + note());
    }
    if (isReported()) {
      progress.failures().forEach(it -> out.println("failed    " + words(it)));
    }
  }

  static String words(Progress.Failure failure) {
    return Console.plain(
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
    job().ifPresent(job -> write(json, job));
    json.writeStringProperty("note", note());
    json.writeArrayPropertyStart("failures");
    for (Progress.Failure it : isReported() ? progress.failures() : List.<Progress.Failure>of()) {
      json.writeStartObject()
          .writeStringProperty("collection", it.collection())
          .writeStringProperty("id", it.id())
          .writeStringProperty("reason", it.reason())
          .writeEndObject();
    }
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, RotationJob job) {
    json.writeStringProperty("rotation", job.id().value())
        .writeStringProperty("kind", Words.snake(job.kind()))
        .writeNumberProperty("from_version", job.from().number())
        .writeNumberProperty("to_version", job.to().number())
        .writeStringProperty("course", Words.snake(job.course()))
        .writeStringProperty("driver", job.driver());
    switch (job.expected()) {
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
