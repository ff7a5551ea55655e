package keyfleet.member.document;

import java.util.List;
import java.util.TreeSet;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
import keyfleet.keyring.ReadinessGate.AtLeast;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.ReadinessGate.Named;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.Rotation.Aborted;
import keyfleet.keyring.Rotation.Blocked;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Rotation.Fencing;
import keyfleet.keyring.Rotation.Idle;
import keyfleet.keyring.Rotation.OpeningFences;
import keyfleet.keyring.Rotation.Paused;
import keyfleet.keyring.Rotation.Proving;
import keyfleet.keyring.Rotation.Rewrapping;
import keyfleet.keyring.Rotation.Running;
import keyfleet.keyring.Rotation.Settling;
import keyfleet.keyring.Rotation.Staged;
import keyfleet.keyring.Rotation.Sweeping;
import keyfleet.keyring.RotationId;
import keyfleet.keyring.RotationJob;
import keyfleet.store.Document;

/// The part of a keystore's document that describes the rotation: its phase, and its job unless it
/// is idle.
final class RotationDocument {
  private static final String MIN_PROCESSES = "min_processes";
  private static final String EXPECTED = "expected";

  private RotationDocument() {}

  static Document toDocument(Rotation rotation) {
    Document.Builder document = Document.builder();
    return switch (rotation) {
      case Idle _ -> document.text("phase", "idle").build();
      case Running running -> withJob(document.text("phase", running.phase()), running.job());
      case Paused(Running was) ->
          withJob(document.text("phase", "paused").text("was", was.phase()), was.job());
      case Blocked(RotationJob job, long failed) ->
          withJob(document.text("phase", "blocked").number("failed_records", failed), job);
      case Completed(RotationJob job) -> withJob(document.text("phase", "completed"), job);
      case Aborted(RotationJob job) -> withJob(document.text("phase", "aborted"), job);
    };
  }

  static Rotation parse(Document document) {
    String phase = document.text("phase");
    return switch (phase) {
      case "idle" -> new Idle();
      case "paused" -> new Paused(parseRunning(document.text("was"), parseJob(document)));
      case "blocked" -> new Blocked(parseJob(document), document.number("failed_records"));
      case "completed" -> new Completed(parseJob(document));
      case "aborted" -> new Aborted(parseJob(document));
      default -> parseRunning(phase, parseJob(document));
    };
  }

  private static Running parseRunning(String phase, RotationJob job) {
    return switch (phase) {
      case "staged" -> new Staged(job);
      case "opening" -> new OpeningFences(job);
      case "rewrapping" -> new Rewrapping(job);
      case "settling" -> new Settling(job);
      case "fencing" -> new Fencing(job);
      case "sweeping" -> new Sweeping(job);
      case "proving" -> new Proving(job);
      default -> throw new IllegalArgumentException("not a phase of a rotation: " + phase);
    };
  }

  private static Document withJob(Document.Builder document, RotationJob job) {
    document
        .text("id", job.id().value())
        .text("kind", FieldCodec.toWord(job.kind()))
        .number("from", job.from().number())
        .number("to", job.to().number())
        .text("course", FieldCodec.toWord(job.course()))
        .text("driver", job.driver());
    return switch (job.expectedProcesses()) {
      case AnyProcesses() -> document.build();
      case AtLeast(int processes) -> document.number(MIN_PROCESSES, processes).build();
      case Named(var instances) -> document.texts(EXPECTED, List.copyOf(instances)).build();
    };
  }

  private static RotationJob parseJob(Document document) {
    return new RotationJob(
        new RotationId(document.text("id")),
        FieldCodec.parseConstant(RotationJob.Kind.class, document.text("kind")),
        FieldCodec.parseVersion(document.number("from")),
        FieldCodec.parseVersion(document.number("to")),
        parseExpected(document),
        FieldCodec.parseConstant(RotationJob.Course.class, document.text("course")),
        document.text("driver"));
  }

  /// A document without expected processes, as older programs write it, expects only those in the
  /// roster.
  private static ExpectedProcesses parseExpected(Document document) {
    if (document.has(MIN_PROCESSES)) {
      return new AtLeast(Math.toIntExact(document.number(MIN_PROCESSES)));
    }
    return document.has(EXPECTED)
        ? new Named(new TreeSet<>(document.texts(EXPECTED)))
        : new AnyProcesses();
  }
}
