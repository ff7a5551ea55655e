package keyfleet.keyring;

import java.util.Optional;
import keyfleet.keyring.RotationJob.Course;

/// The phase of a rotation. The package description has the transitions.
public sealed interface Rotation {
  /// No rotation yet, or the last one was dropped before it began.
  record Idle() implements Rotation {}

  /// A rotation that advances when its driver acts.
  sealed interface Running extends Rotation {
    RotationJob job();

    default Running withDriver(String driver) {
      RotationJob job = job().withDriver(driver);
      return switch (this) {
        case Staged _ -> new Staged(job);
        case OpeningFences _ -> new OpeningFences(job);
        case Rewrapping _ -> new Rewrapping(job);
        case Settling _ -> new Settling(job);
        case Fencing _ -> new Fencing(job);
        case Sweeping _ -> new Sweeping(job);
        case Proving _ -> new Proving(job);
      };
    }
  }

  /// The new version is staged; the gate must pass.
  record Staged(RotationJob job) implements Running {}

  /// The fences of the stores, which admit only the old version, are being opened for both.
  record OpeningFences(RotationJob job) implements Running {}

  /// One pass over all records, while the old version is still active.
  record Rewrapping(RotationJob job) implements Running {}

  /// After a flip, until every process reports the new epoch or its write lease has expired.
  record Settling(RotationJob job) implements Running {}

  /// The fences of the stores are being closed to all but the new version.
  record Fencing(RotationJob job) implements Running {}

  /// With the fences closed, the remaining records are moved.
  record Sweeping(RotationJob job) implements Running {}

  /// Every registered collection is being counted.
  record Proving(RotationJob job) implements Running {}

  /// Some records cannot be moved until an operator repairs them.
  record Blocked(RotationJob job, long failedRecords) implements Rotation {}

  record Paused(Running resumeTo) implements Rotation {}

  record Completed(RotationJob job) implements Rotation {}

  record Aborted(RotationJob job) implements Rotation {}

  /// The name of the phase for people and scripts. A paused rotation has the phase in which it was
  /// paused.
  default String phase() {
    return switch (this) {
      case Staged _ -> "staged";
      case OpeningFences _ -> "opening";
      case Rewrapping _ -> "rewrapping";
      case Settling _ -> "settling";
      case Fencing _ -> "fencing";
      case Sweeping _ -> "sweeping";
      case Proving _ -> "proving";
      case Paused(Running resumeTo) -> resumeTo.phase();
      case Blocked _ -> "blocked";
      case Completed _ -> "completed";
      case Aborted _ -> "aborted";
      case Idle _ -> "idle";
    };
  }

  /// The job of the last rotation that went beyond the gate, or is still in progress.
  static Optional<RotationJob> lastJob(Rotation rotation) {
    return switch (rotation) {
      case Completed(RotationJob job) -> Optional.of(job);
      case Aborted(RotationJob job) -> Optional.of(job);
      case Running _, Blocked _, Paused _, Idle _ -> unfinishedJob(rotation);
    };
  }

  /// The job of a rotation that has not ended.
  static Optional<RotationJob> unfinishedJob(Rotation rotation) {
    return switch (rotation) {
      case Running running -> Optional.of(running.job());
      case Blocked(RotationJob job, _) -> Optional.of(job);
      case Paused(Running resumeTo) -> Optional.of(resumeTo.job());
      case Idle _, Completed _, Aborted _ -> Optional.empty();
    };
  }

  /// The end state of a proved rotation.
  static Rotation endState(RotationJob job) {
    return job.course() == Course.FORWARD ? new Completed(job) : new Aborted(job);
  }
}
