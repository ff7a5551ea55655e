package keyfleet.keyring;

import java.util.Optional;
import keyfleet.keyring.RotationJob.Course;

/// Where a keyring's rotation stands. The transitions are in the package's description.
public sealed interface Rotation {
  /// No rotation yet, or the last one was dropped before it began.
  record Idle() implements Rotation {}

  /// A rotation that goes on when its driver acts.
  sealed interface Running extends Rotation {
    RotationJob rotationJob();

    /// The same phase under another driver.
    default Running withDriver(String driver) {
      RotationJob job = rotationJob().withDriver(driver);
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
  record Staged(RotationJob rotationJob) implements Running {}

  /// The stores, fenced to the old version since the rotation before, are being told to take both.
  record OpeningFences(RotationJob rotationJob) implements Running {}

  /// One pass over all records, while the old version is still active.
  record Rewrapping(RotationJob rotationJob) implements Running {}

  /// After a flip: until every process shows the new epoch, or its write lease has run out.
  record Settling(RotationJob rotationJob) implements Running {}

  /// The stores are being told to take nothing but the new version.
  record Fencing(RotationJob rotationJob) implements Running {}

  /// Behind the fence, whatever is left moves.
  record Sweeping(RotationJob rotationJob) implements Running {}

  /// Every registered collection is counted.
  record Proving(RotationJob rotationJob) implements Running {}

  /// Some records cannot be moved until a person mends them.
  record Blocked(RotationJob job, long failedRecords) implements Rotation {}

  record Paused(Running resumeTo) implements Rotation {}

  record Completed(RotationJob job) implements Rotation {}

  record Aborted(RotationJob job) implements Rotation {}

  /// The word for where it stands, as people and scripts read it. A paused one is in the phase in
  /// which it was paused.
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

  /// The job of the last rotation that came to something, ended or not.
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
      case Running running -> Optional.of(running.rotationJob());
      case Blocked(RotationJob job, _) -> Optional.of(job);
      case Paused(Running resumeTo) -> Optional.of(resumeTo.rotationJob());
      case Idle _, Completed _, Aborted _ -> Optional.empty();
    };
  }

  /// How a proved rotation ends.
  static Rotation endState(RotationJob job) {
    return job.course() == Course.FORWARD ? new Completed(job) : new Aborted(job);
  }
}
