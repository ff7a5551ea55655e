package keyfleet.member.document;

import java.util.List;
import java.util.TreeSet;
import keyfleet.keyring.FleetReadiness.AnyProcesses;
import keyfleet.keyring.FleetReadiness.AtLeast;
import keyfleet.keyring.FleetReadiness.ExpectedProcesses;
import keyfleet.keyring.FleetReadiness.Named;
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

/// A rotation as it stands in the keystore's document: its phase, and the job unless it is idle.
final class RotationDocument {
  private static final String MIN_PROCESSES = "min_processes";
  private static final String EXPECTED = "expected";

  private RotationDocument() {}

  static Document toDocument(Rotation rotation) {
    Document.Builder written = Document.builder();
    return switch (rotation) {
      case Idle _ -> written.text("phase", "idle").build();
      case Running running -> job(written.text("phase", running.phase()), running.rotationJob());
      case Paused(Running was) ->
          job(written.text("phase", "paused").text("was", was.phase()), was.rotationJob());
      case Blocked(RotationJob rotationJob, long failed) ->
          job(written.text("phase", "blocked").number("failed_records", failed), rotationJob);
      case Completed(RotationJob rotationJob) ->
          job(written.text("phase", "completed"), rotationJob);
      case Aborted(RotationJob rotationJob) -> job(written.text("phase", "aborted"), rotationJob);
    };
  }

  static Rotation parse(Document document) {
    String phase = document.text("phase");
    return switch (phase) {
      case "idle" -> new Idle();
      case "paused" -> new Paused(parseRunning(document.text("was"), job(document)));
      case "blocked" -> new Blocked(job(document), document.number("failed_records"));
      case "completed" -> new Completed(job(document));
      case "aborted" -> new Aborted(job(document));
      default -> parseRunning(phase, job(document));
    };
  }

  private static Running parseRunning(String phase, RotationJob rotationJob) {
    return switch (phase) {
      case "staged" -> new Staged(rotationJob);
      case "opening" -> new OpeningFences(rotationJob);
      case "rewrapping" -> new Rewrapping(rotationJob);
      case "settling" -> new Settling(rotationJob);
      case "fencing" -> new Fencing(rotationJob);
      case "sweeping" -> new Sweeping(rotationJob);
      case "proving" -> new Proving(rotationJob);
      default -> throw new IllegalArgumentException("no phase of a rotation: " + phase);
    };
  }

  private static Document job(Document.Builder written, RotationJob rotationJob) {
    written
        .text("id", rotationJob.id().value())
        .text("kind", FieldCodec.toWord(rotationJob.kind()))
        .number("from", rotationJob.from().number())
        .number("to", rotationJob.to().number())
        .text("course", FieldCodec.toWord(rotationJob.course()))
        .text("driver", rotationJob.driver());
    return switch (rotationJob.expectedProcesses()) {
      case AnyProcesses() -> written.build();
      case AtLeast(int processes) -> written.number(MIN_PROCESSES, processes).build();
      case Named(var instances) -> written.texts(EXPECTED, List.copyOf(instances)).build();
    };
  }

  private static RotationJob job(Document document) {
    return new RotationJob(
        new RotationId(document.text("id")),
        FieldCodec.parseConstant(RotationJob.Kind.class, document.text("kind")),
        FieldCodec.parseVersion(document.number("from")),
        FieldCodec.parseVersion(document.number("to")),
        parseExpected(document),
        FieldCodec.parseConstant(RotationJob.Course.class, document.text("course")),
        document.text("driver"));
  }

  /// A rotation that says nothing of it, as those of older programs, expects whoever is there.
  private static ExpectedProcesses parseExpected(Document document) {
    if (document.has(MIN_PROCESSES)) {
      return new AtLeast(Math.toIntExact(document.number(MIN_PROCESSES)));
    }
    return document.has(EXPECTED)
        ? new Named(new TreeSet<>(document.texts(EXPECTED)))
        : new AnyProcesses();
  }
}
