package keyfleet.cli.kek;

import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import keyfleet.cli.command.CommandSession;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.EnumText;
import keyfleet.cli.output.OutputFormat;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.control.rotation.RotationRate;
import keyfleet.crypto.KeyringName;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.AtLeast;
import keyfleet.keyring.ReadinessGate.Named;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Aborted;
import keyfleet.keyring.Rotation.Blocked;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Rotation.Idle;
import keyfleet.keyring.Rotation.Paused;
import keyfleet.keyring.Rotation.Running;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.RotationJob;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/// The rotation of a keyring at one moment.
///
/// @param progress the last report of a driver, which may be about an earlier rotation
/// @param rate what an operator has set for this rotation with `kek rate`
record RotationStatus(
    KeyringName keyring,
    Keystore keystore,
    RotationProgress progress,
    @Nullable RotationRate rate) {
  /// How a rotation ended.
  enum Outcome {
    COMPLETED,
    ABORTED,
    /// Some records could not be moved; an operator must repair them.
    BLOCKED,
    /// The rotation did not pass its gate, was a dry run, or another rotation replaced it.
    DROPPED
  }

  static RotationStatus read(CommandSession session) {
    Keystore keystore = session.requireKeystore();
    RotationProgress progress =
        session.keyringStore().readProgress().orElseGet(() -> noProgress(keystore));
    RotationRate rate =
        Rotation.unfinishedJob(keystore.rotation())
            .flatMap(job -> session.keyringStore().readRate(job.id()))
            .orElse(null);
    return new RotationStatus(session.keyring(), keystore, progress, rate);
  }

  private static RotationProgress noProgress(Keystore keystore) {
    RotationId id =
        Rotation.lastJob(keystore.rotation()).map(RotationJob::id).orElse(new RotationId("-"));
    return new RotationProgress(id, 0, 0, 0, "", List.of());
  }

  Rotation rotation() {
    return keystore.rotation();
  }

  /// Empty if no rotation was started, or the last one was dropped.
  Optional<RotationJob> job() {
    return Rotation.lastJob(rotation());
  }

  boolean isUnderWay() {
    return Rotation.unfinishedJob(rotation()).isPresent();
  }

  /// Whether only an operator's word is missing: of a kms keyring whose plugins have all flipped.
  boolean awaitsAttestation() {
    return keystore.identity().use() == Keystore.Use.KMS && rotation() instanceof Rotation.Proving;
  }

  /// Empty while the rotation is running.
  Optional<Outcome> outcomeOf(RotationId id) {
    if (job().filter(it -> it.id().equals(id)).isEmpty()) {
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

  /// Whether the progress is about this rotation. Without a rotation it is about the last one.
  private boolean hasOwnProgress() {
    return job().map(it -> it.id().equals(progress.rotation())).orElse(true);
  }

  long total() {
    return hasOwnProgress() ? progress.total() : 0;
  }

  /// A completed rotation has proved that no record is left, also of those that came after the last
  /// report of its driver.
  long done() {
    if (rotation() instanceof Completed) {
      return total();
    }
    return hasOwnProgress() ? progress.done() : 0;
  }

  long failed() {
    return rotation() instanceof Blocked(_, long failed) && !hasOwnProgress()
        ? failed
        : hasOwnProgress() ? progress.failed() : 0;
  }

  String note() {
    return hasOwnProgress() ? Console.sanitize(progress.note()) : "";
  }

  String versionChange() {
    return job().map(it -> it.from() + " -> " + it.to()).orElse("");
  }

  void print(OutputFormat format, PrintStream out) {
    format.print(out, this::printTable, this::write);
  }

  void printTable(PrintStream out) {
    out.println(
        "keyring   " + keyring + ", active " + keystore.active() + ", epoch " + keystore.epoch());
    job()
        .ifPresent(job -> {
          out.println("rotation  " + job.id() + " (" + EnumText.toKebabCase(job.kind()) + ")");
          out.println(
              "course    "
                  + versionChange()
                  + (job.course() == RotationJob.Course.TURNED ? ", reverting" : ""));
          out.println(
              "driver    "
                  + (job.driver().isEmpty() ? "none yet" : Console.sanitize(job.driver())));
          if (!(job.expectedProcesses() instanceof AnyProcesses)) {
            out.println("expects   " + Console.sanitize(job.expectedProcesses().description()));
          }
        });
    out.println("state     " + state() + ", " + phase());
    out.println("records   " + done() + " of " + total() + " done, " + failed() + " failed");
    if (rate != null) {
      out.println("rate      " + rate.description());
    }
    if (!note().isEmpty()) {
      out.println("note      " + note());
    }
    if (hasOwnProgress()) {
      progress.failures().forEach(it -> out.println("failed    " + describe(it)));
    }
  }

  static String describe(RotationProgress.Failure failure) {
    return Console.sanitize(
        "%s %s: %s".formatted(failure.collection(), failure.id(), failure.reason()));
  }

  void write(JsonGenerator json) {
    json.writeStringProperty("keyring", keyring.value())
        .writeStringProperty("state", state())
        .writeStringProperty("phase", phase())
        .writeNumberProperty("total", total())
        .writeNumberProperty("done", done())
        .writeNumberProperty("failed_records", failed())
        .writeNumberProperty("active", keystore.active().number())
        .writeNumberProperty("epoch", keystore.epoch());
    job().ifPresent(job -> write(json, job));
    if (rate != null) {
      json.writeNumberProperty("rate", rate.perSecond());
    }
    json.writeStringProperty("note", note());
    json.writeArrayPropertyStart("failures");
    for (RotationProgress.Failure it :
        hasOwnProgress() ? progress.failures() : List.<RotationProgress.Failure>of()) {
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
        .writeStringProperty("kind", EnumText.toSnakeCase(job.kind()))
        .writeNumberProperty("from_version", job.from().number())
        .writeNumberProperty("to_version", job.to().number())
        .writeStringProperty("course", EnumText.toSnakeCase(job.course()))
        .writeStringProperty("driver", job.driver());
    switch (job.expectedProcesses()) {
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
