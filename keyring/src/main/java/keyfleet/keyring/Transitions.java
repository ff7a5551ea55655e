package keyfleet.keyring;

import java.util.Optional;
import keyfleet.crypto.KekVersion;
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
import keyfleet.keyring.Job.Kind;
import keyfleet.keyring.Readiness.Anyone;
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
      case Step(Staged(Job j), GatePassed _) -> open(k, j);
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
    Optional<String> objection = objection(k, order);
    if (objection.isPresent()) {
      return new Refused(objection.get());
    }
    Job job =
        new Job(
            order.id(),
            order.kind(),
            order.from(),
            order.to(),
            order.expected(),
            Course.FORWARD,
            order.driver());
    Keystore known = job.kind() == Kind.REVOCATION ? k.distrusting(job.from()) : k;
    return new Next(known.with(new Staged(job), job.to(), VersionState.STAGED));
  }

  private static Optional<String> objection(Keystore k, StartOrdered order) {
    KekVersion from = order.from();
    KekVersion to = order.to();
    if (!from.equals(k.active())) {
      return Optional.of("the active version is " + k.active() + ", not " + from);
    }
    Optional<VersionState> state = k.stateOf(to);
    if (state.isEmpty()) {
      return Optional.of(to + " is not announced");
    }
    if (state.get() != VersionState.ANNOUNCED) {
      return Optional.of(to + " is " + state.get() + "; only an announced version can follow");
    }
    if (order.kind() == Kind.ROTATION && k.isCompromised(from)) {
      return Optional.of(
          from + " is compromised: a rotation would keep the data keys it wrapped; revoke it");
    }
    return order.kind() == Kind.DRY_RUN && k.rotation() instanceof Blocked(Job job, _)
        ? Optional.of("rotation " + job.id() + " is blocked, and a dry run would drop it")
        : Optional.empty();
  }

  /// Ordering it again does no harm, unless the second order asks for more than the first did.
  private static Decision alreadyRunning(Job running, StartOrdered order) {
    boolean same =
        running.kind() == order.kind()
            && running.from().equals(order.from())
            && running.to().equals(order.to());
    boolean asksNoMore =
        order.expected() instanceof Anyone || order.expected().equals(running.expected());
    String underWay = "rotation " + running.id() + " to " + running.to() + " is under way";
    if (!same) {
      return new Refused(underWay);
    }
    return asksNoMore
        ? new Ignored()
        : new Refused(underWay + " and was ordered with " + running.expected().words());
  }

  private static Decision drop(Keystore k, Job job, Rotation end) {
    return new Next(k.with(end, job.to(), VersionState.ANNOUNCED));
  }

  /// A dry run never comes this far, whoever drives it.
  private static Decision open(Keystore k, Job job) {
    return job.kind() == Kind.DRY_RUN
        ? new Ignored()
        : new Next(k.admitting(new Opening(job), job.from(), job.to()));
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
    if (job.kind() == Kind.REVOCATION) {
      return new Refused(job.from() + " is compromised: there is no way back to it");
    }
    Job back = job.turned();
    return new Next(k.flipped(back.to(), back.from(), new Settling(back)));
  }

  private static Decision tooLate(Job job) {
    return job.course() == Course.TURNED
        ? new Ignored()
        : new Refused("the stores take nothing but " + job.to() + " by now: only forward is safe");
  }

  /// An abandoned version carries nothing any more and may be rotated to again; a revoked one
  /// carries nothing either, and nobody needs it.
  private static Decision end(Keystore k, Job job) {
    Rotation end = Rotation.ended(job);
    if (job.course() == Course.TURNED) {
      return new Next(k.with(end, job.from(), VersionState.ANNOUNCED));
    }
    return new Next(
        job.kind() == Kind.REVOCATION
            ? k.with(end, job.from(), VersionState.DISABLED)
            : k.with(end));
  }

  /// A dry run belongs to whoever took it up: another could only un-stage it, and needs not be its
  /// driver for that.
  private static Decision adopt(Keystore k, Running running, Adopted event) {
    Job job = running.job();
    boolean taken = job.kind() == Kind.DRY_RUN && !job.isDrivenBy(Job.NOBODY);
    boolean changes = job.id().equals(event.id()) && !job.isDrivenBy(event.driver());
    return changes && !taken ? new Next(k.with(running.drivenBy(event.driver()))) : new Ignored();
  }
}
