package keyfleet.keyring;

import java.util.Optional;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.FleetReadiness.AnyProcesses;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.KeystoreDecision.Ignored;
import keyfleet.keyring.KeystoreDecision.Refused;
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
import keyfleet.keyring.RotationEvent.AbortRequested;
import keyfleet.keyring.RotationEvent.Adopted;
import keyfleet.keyring.RotationEvent.DriverEvent;
import keyfleet.keyring.RotationEvent.Fenced;
import keyfleet.keyring.RotationEvent.FencesOpened;
import keyfleet.keyring.RotationEvent.GatePassed;
import keyfleet.keyring.RotationEvent.OldRecordsFound;
import keyfleet.keyring.RotationEvent.PauseRequested;
import keyfleet.keyring.RotationEvent.Proved;
import keyfleet.keyring.RotationEvent.RecordsBlocked;
import keyfleet.keyring.RotationEvent.RecordsRepaired;
import keyfleet.keyring.RotationEvent.ResumeRequested;
import keyfleet.keyring.RotationEvent.RewrapEnded;
import keyfleet.keyring.RotationEvent.Settled;
import keyfleet.keyring.RotationEvent.StartRequested;
import keyfleet.keyring.RotationEvent.SweepEnded;
import keyfleet.keyring.RotationEvent.Unstaged;
import keyfleet.keyring.RotationJob.Course;
import keyfleet.keyring.RotationJob.Kind;

/// The transition table of a rotation. It is drawn in the package's description.
final class RotationTransitions {
  private record Step(Rotation rotation, RotationEvent event) {}

  private RotationTransitions() {}

  static KeystoreDecision decide(Keystore k, RotationEvent event) {
    if (event instanceof DriverEvent driven && !concerns(k, driven.of())) {
      return new Ignored();
    }
    return switch (new Step(k.rotation(), event)) {
      case Step(Idle _, StartRequested e) -> start(k, e);
      case Step(Completed _, StartRequested e) -> start(k, e);
      case Step(Aborted _, StartRequested e) -> start(k, e);
      case Step(Blocked _, StartRequested e) -> start(k, e);
      case Step(Running r, StartRequested e) -> alreadyRunning(r.job(), e);
      case Step(Paused(Running was), StartRequested e) -> alreadyRunning(was.job(), e);

      case Step(Staged(RotationJob j), Unstaged _) -> drop(k, j, new Idle());
      case Step(Staged(RotationJob j), AbortRequested _) -> drop(k, j, new Aborted(j));
      case Step(Staged(RotationJob j), GatePassed _) -> open(k, j);
      case Step(OpeningFences(RotationJob j), FencesOpened _) ->
          new Accepted(k.with(new Rewrapping(j)));
      case Step(Rewrapping(RotationJob j), RewrapEnded _) -> flip(k, j);
      case Step(Settling(RotationJob j), Settled _) ->
          new Accepted(k.admitting(new Fencing(j), j.to()));
      case Step(Fencing(RotationJob j), Fenced _) -> new Accepted(k.with(new Sweeping(j)));
      case Step(Sweeping(RotationJob j), SweepEnded _) -> new Accepted(k.with(new Proving(j)));
      case Step(Sweeping(RotationJob j), RecordsBlocked e) ->
          new Accepted(k.with(new Blocked(j, e.failedRecords())));
      case Step(Blocked(RotationJob j, _), RecordsRepaired _) ->
          new Accepted(k.with(new Sweeping(j)));
      case Step(Proving(RotationJob j), OldRecordsFound _) -> new Accepted(k.with(new Sweeping(j)));
      case Step(Proving(RotationJob j), Proved _) -> end(k, j);

      case Step(OpeningFences(RotationJob j), AbortRequested _) -> turn(k, j);
      case Step(Rewrapping(RotationJob j), AbortRequested _) -> turn(k, j);
      case Step(Settling(RotationJob j), AbortRequested _) -> turn(k, j);
      case Step(Fencing(RotationJob j), AbortRequested _) -> turn(k, j);
      case Step(Sweeping(RotationJob j), AbortRequested _) -> tooLate(j);
      case Step(Proving(RotationJob j), AbortRequested _) -> tooLate(j);
      case Step(Blocked(RotationJob j, _), AbortRequested _) -> tooLate(j);
      case Step(Paused(Running was), AbortRequested e) -> decide(k.with(was), e);

      case Step(Running r, PauseRequested _) -> new Accepted(k.with(new Paused(r)));
      case Step(Paused(Running was), ResumeRequested _) -> new Accepted(k.with(was));
      case Step(Running r, Adopted e) -> adopt(k, r, e);
      case Step(Paused _, PauseRequested _), Step(Running _, ResumeRequested _) -> new Ignored();
      case Step(_, PauseRequested _), Step(_, ResumeRequested _), Step(_, AbortRequested _) ->
          new Refused("no rotation is under way");
      case Step(_, Adopted _), Step(_, DriverEvent _) -> new Ignored();
    };
  }

  private static boolean concerns(Keystore k, RotationEvent.RotationEpoch of) {
    return Rotation.underWay(k.rotation()).map(job -> job.id().equals(of.id())).orElse(false)
        && of.epoch() == k.epoch();
  }

  private static KeystoreDecision start(Keystore k, StartRequested order) {
    Optional<String> objection = objection(k, order);
    if (objection.isPresent()) {
      return new Refused(objection.get());
    }
    RotationJob job =
        new RotationJob(
            order.id(),
            order.kind(),
            order.from(),
            order.to(),
            order.expected(),
            Course.FORWARD,
            order.driver());
    Keystore known = job.kind() == Kind.REVOCATION ? k.distrusting(job.from()) : k;
    return new Accepted(known.with(new Staged(job), job.to(), VersionState.STAGED));
  }

  private static Optional<String> objection(Keystore k, StartRequested order) {
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
    return order.kind() == Kind.DRY_RUN && k.rotation() instanceof Blocked(RotationJob job, _)
        ? Optional.of("rotation " + job.id() + " is blocked, and a dry run would drop it")
        : Optional.empty();
  }

  /// Ordering it again does no harm, unless the second order asks for more than the first did.
  private static KeystoreDecision alreadyRunning(RotationJob running, StartRequested order) {
    boolean same =
        running.kind() == order.kind()
            && running.from().equals(order.from())
            && running.to().equals(order.to());
    boolean asksNoMore =
        order.expected() instanceof AnyProcesses || order.expected().equals(running.expected());
    String underWay = "rotation " + running.id() + " to " + running.to() + " is under way";
    if (!same) {
      return new Refused(underWay);
    }
    return asksNoMore
        ? new Ignored()
        : new Refused(underWay + " and was ordered with " + running.expected().words());
  }

  private static KeystoreDecision drop(Keystore k, RotationJob job, Rotation end) {
    return new Accepted(k.with(end, job.to(), VersionState.ANNOUNCED));
  }

  /// A dry run never comes this far, whoever drives it.
  private static KeystoreDecision open(Keystore k, RotationJob job) {
    return job.kind() == Kind.DRY_RUN
        ? new Ignored()
        : new Accepted(k.admitting(new OpeningFences(job), job.from(), job.to()));
  }

  /// SwapActive. It does not wait until no record is left: the sweep is for those.
  private static KeystoreDecision flip(Keystore k, RotationJob job) {
    return new Accepted(k.flipped(job.to(), job.from(), new Settling(job)));
  }

  /// Back the way it came, as a rotation in its own right: new epoch, settle, fence, sweep, census.
  /// Records under the abandoned version exist, so it can be decrypted until none is left.
  private static KeystoreDecision turn(Keystore k, RotationJob job) {
    if (job.course() == Course.TURNED) {
      return new Ignored();
    }
    if (job.kind() == Kind.REVOCATION) {
      return new Refused(job.from() + " is compromised: there is no way back to it");
    }
    RotationJob back = job.turned();
    return new Accepted(k.flipped(back.to(), back.from(), new Settling(back)));
  }

  private static KeystoreDecision tooLate(RotationJob job) {
    return job.course() == Course.TURNED
        ? new Ignored()
        : new Refused("the stores take nothing but " + job.to() + " by now: only forward is safe");
  }

  /// An abandoned version carries nothing any more and may be rotated to again; a revoked one
  /// carries nothing either, and nobody needs it.
  private static KeystoreDecision end(Keystore k, RotationJob job) {
    Rotation end = Rotation.ended(job);
    if (job.course() == Course.TURNED) {
      return new Accepted(k.with(end, job.from(), VersionState.ANNOUNCED));
    }
    return new Accepted(
        job.kind() == Kind.REVOCATION
            ? k.with(end, job.from(), VersionState.DISABLED)
            : k.with(end));
  }

  /// A dry run belongs to whoever took it up: another could only un-stage it, and needs not be its
  /// driver for that.
  private static KeystoreDecision adopt(Keystore k, Running running, Adopted event) {
    RotationJob job = running.job();
    boolean taken = job.kind() == Kind.DRY_RUN && !job.isDrivenBy(RotationJob.NOBODY);
    boolean changes = job.id().equals(event.id()) && !job.isDrivenBy(event.driver());
    return changes && !taken
        ? new Accepted(k.with(running.drivenBy(event.driver())))
        : new Ignored();
  }
}
