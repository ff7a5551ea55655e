package keyfleet.keyring;

import java.util.Optional;
import keyfleet.keyring.Job.Course;

/// Where a keyring's rotation stands. The transitions are in the package's description.
public sealed interface Rotation {
  /// No rotation yet, or the last one was dropped before it began.
  record Idle() implements Rotation {}

  /// A rotation that goes on when its driver acts.
  sealed interface Running extends Rotation {
    Job job();

    Running with(Job job);
  }

  /// The new version is staged; the gate must pass.
  record Staged(Job job) implements Running {
    @Override
    public Staged with(Job job) {
      return new Staged(job);
    }
  }

  /// The stores, fenced to the old version since the rotation before, are being told to take both.
  record Opening(Job job) implements Running {
    @Override
    public Opening with(Job job) {
      return new Opening(job);
    }
  }

  /// One pass over all records, while the old version is still active.
  record Rewrapping(Job job) implements Running {
    @Override
    public Rewrapping with(Job job) {
      return new Rewrapping(job);
    }
  }

  /// After a flip: until every process shows the new epoch, or its write lease has run out.
  record Settling(Job job) implements Running {
    @Override
    public Settling with(Job job) {
      return new Settling(job);
    }
  }

  /// The stores are being told to take nothing but the new version.
  record Fencing(Job job) implements Running {
    @Override
    public Fencing with(Job job) {
      return new Fencing(job);
    }
  }

  /// Behind the fence, whatever is left moves.
  record Sweeping(Job job) implements Running {
    @Override
    public Sweeping with(Job job) {
      return new Sweeping(job);
    }
  }

  /// Every registered collection is counted.
  record Proving(Job job) implements Running {
    @Override
    public Proving with(Job job) {
      return new Proving(job);
    }
  }

  /// Some records cannot be moved until a person mends them.
  record Blocked(Job job, long failedRecords) implements Rotation {}

  record Paused(Running was) implements Rotation {}

  record Completed(Job job) implements Rotation {}

  record Aborted(Job job) implements Rotation {}

  /// The job of a rotation that has not ended.
  static Optional<Job> underWay(Rotation rotation) {
    return switch (rotation) {
      case Running running -> Optional.of(running.job());
      case Blocked(Job job, _) -> Optional.of(job);
      case Paused(Running was) -> Optional.of(was.job());
      case Idle _, Completed _, Aborted _ -> Optional.empty();
    };
  }

  /// How a proved rotation ends.
  static Rotation ended(Job job) {
    return job.course() == Course.FORWARD ? new Completed(job) : new Aborted(job);
  }
}
