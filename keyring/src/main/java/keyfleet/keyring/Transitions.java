package keyfleet.keyring;

import java.util.Optional;
import keyfleet.keyring.Decision.Ignored;
import keyfleet.keyring.Decision.Next;
import keyfleet.keyring.Decision.Refused;
import keyfleet.keyring.Event.AbortOrdered;
import keyfleet.keyring.Event.Adopted;
import keyfleet.keyring.Event.Driven;
import keyfleet.keyring.Event.Fenced;
import keyfleet.keyring.Event.GatePassed;
import keyfleet.keyring.Event.LedgerMended;
import keyfleet.keyring.Event.LedgerStuck;
import keyfleet.keyring.Event.Opened;
import keyfleet.keyring.Event.PassEnded;
import keyfleet.keyring.Event.PauseOrdered;
import keyfleet.keyring.Event.Proved;
import keyfleet.keyring.Event.ResumeOrdered;
import keyfleet.keyring.Event.Settled;
import keyfleet.keyring.Event.StartOrdered;
import keyfleet.keyring.Event.Straggled;
import keyfleet.keyring.Event.SweepEnded;
import keyfleet.keyring.Event.Unstaged;
import keyfleet.keyring.Job.Course;
import keyfleet.keyring.Rotation.Aborted;
import keyfleet.keyring.Rotation.Blocked;
import keyfleet.keyring.Rotation.Completed;
import keyfleet.keyring.Rotation.Fencing;
import keyfleet.keyring.Rotation.Idle;
import keyfleet.keyring.Rotation.Opening;
import keyfleet.keyring.Rotation.Paused;
import keyfleet.keyring.Rotation.Proving;
import keyfleet.keyring.Rotation.Rewrapping;
import keyfleet.keyring.Rotation.Running;
import keyfleet.keyring.Rotation.Settling;
import keyfleet.keyring.Rotation.Staged;
import keyfleet.keyring.Rotation.Sweeping;

/// The transition table of a rotation. It is drawn in the package's description.
final class Transitions {
  private record Step(Rotation rotation, Event event) {}

  private Transitions() {}

  static Decision decide(Keystore k, Event event) {
    if (event instanceof Driven driven && !concerns(k, driven.of())) {
      return new Ignored();
    }
    return switch (new Step(k.rotation(), event)) {
      case Step(Idle _, StartOrdered e) -> start(k, e);
      case Step(Completed _, StartOrdered e) -> start(k, e);
      case Step(Aborted _, StartOrdered e) -> start(k, e);
      case Step(Blocked _, StartOrdered e) -> start(k, e);
      case Step(Running r, StartOrdered e) -> alreadyRunning(r.job(), e);
      case Step(Paused(Running was), StartOrdered e) -> alreadyRunning(was.job(), e);

      case Step(Staged(Job j), Unstaged _) -> drop(k, j, new Idle());
      case Step(Staged(Job j), AbortOrdered _) -> drop(k, j, new Aborted(j));
      case Step(Staged(Job j), GatePassed _) ->
          new Next(k.admitting(new Opening(j), j.from(), j.to()));
      case Step(Opening(Job j), Opened _) -> new Next(k.with(new Rewrapping(j)));
      case Step(Rewrapping(Job j), PassEnded _) -> flip(k, j);
      case Step(Settling(Job j), Settled _) -> new Next(k.admitting(new Fencing(j), j.to()));
      case Step(Fencing(Job j), Fenced _) -> new Next(k.with(new Sweeping(j)));
      case Step(Sweeping(Job j), SweepEnded _) -> new Next(k.with(new Proving(j)));
      case Step(Sweeping(Job j), LedgerStuck e) ->
          new Next(k.with(new Blocked(j, e.failedRecords())));
      case Step(Blocked(Job j, _), LedgerMended _) -> new Next(k.with(new Sweeping(j)));
      case Step(Proving(Job j), Straggled _) -> new Next(k.with(new Sweeping(j)));
      case Step(Proving(Job j), Proved _) -> end(k, j);

      case Step(Opening(Job j), AbortOrdered _) -> turn(k, j);
      case Step(Rewrapping(Job j), AbortOrdered _) -> turn(k, j);
      case Step(Settling(Job j), AbortOrdered _) -> turn(k, j);
      case Step(Fencing(Job j), AbortOrdered _) -> turn(k, j);
      case Step(Sweeping(Job j), AbortOrdered _) -> tooLate(j);
      case Step(Proving(Job j), AbortOrdered _) -> tooLate(j);
      case Step(Blocked(Job j, _), AbortOrdered _) -> tooLate(j);
      case Step(Paused(Running was), AbortOrdered e) -> decide(k.with(was), e);

      case Step(Running r, PauseOrdered _) -> new Next(k.with(new Paused(r)));
      case Step(Paused(Running was), ResumeOrdered _) -> new Next(k.with(was));
      case Step(Running r, Adopted e) -> adopt(k, r, e);
      case Step(Paused _, PauseOrdered _), Step(Running _, ResumeOrdered _) -> new Ignored();
      case Step(_, PauseOrdered _), Step(_, ResumeOrdered _), Step(_, AbortOrdered _) ->
          new Refused("no rotation is under way");
      case Step(_, Adopted _), Step(_, Driven _) -> new Ignored();
    };
  }

  private static boolean concerns(Keystore k, Event.Of of) {
    return Rotation.underWay(k.rotation()).map(job -> job.id().equals(of.id())).orElse(false)
        && of.epoch() == k.epoch();
  }

  private static Decision start(Keystore k, StartOrdered order) {
    if (!order.from().equals(k.active())) {
      return new Refused("the active version is " + k.active() + ", not " + order.from());
    }
    Optional<VersionState> state = k.stateOf(order.to());
    if (state.isEmpty()) {
      return new Refused(order.to() + " is not announced");
    }
    if (state.get() != VersionState.ANNOUNCED) {
      return new Refused(
          order.to() + " is " + state.get() + "; only an announced version can follow");
    }
    Job job = new Job(order.id(), order.from(), order.to(), Course.FORWARD, order.driver());
    return new Next(k.with(new Staged(job), order.to(), VersionState.STAGED));
  }

  private static Decision alreadyRunning(Job running, StartOrdered order) {
    boolean same = running.from().equals(order.from()) && running.to().equals(order.to());
    return same
        ? new Ignored()
        : new Refused("rotation " + running.id() + " to " + running.to() + " is under way");
  }

  private static Decision drop(Keystore k, Job job, Rotation end) {
    return new Next(k.with(end, job.to(), VersionState.ANNOUNCED));
  }

  /// SwapActive. It does not wait until no record is left: the sweep is for those.
  private static Decision flip(Keystore k, Job job) {
    return new Next(k.flipped(job.to(), job.from(), new Settling(job)));
  }

  /// Back the way it came, as a rotation in its own right: new epoch, settle, fence, sweep, census.
  /// Records under the abandoned version exist, so it can be decrypted until none is left.
  private static Decision turn(Keystore k, Job job) {
    if (job.course() == Course.TURNED) {
      return new Ignored();
    }
    Job back = job.turned();
    return new Next(k.flipped(back.to(), back.from(), new Settling(back)));
  }

  private static Decision tooLate(Job job) {
    return job.course() == Course.TURNED
        ? new Ignored()
        : new Refused("the stores take nothing but " + job.to() + " by now: only forward is safe");
  }

  /// An abandoned version carries nothing any more and may be rotated to again.
  private static Decision end(Keystore k, Job job) {
    Rotation end = Rotation.ended(job);
    return new Next(
        job.course() == Course.TURNED
            ? k.with(end, job.from(), VersionState.ANNOUNCED)
            : k.with(end));
  }

  private static Decision adopt(Keystore k, Running running, Adopted event) {
    Job job = running.job();
    boolean changes = job.id().equals(event.id()) && !job.driver().equals(event.driver());
    return changes ? new Next(k.with(running.with(job.drivenBy(event.driver())))) : new Ignored();
  }
}
