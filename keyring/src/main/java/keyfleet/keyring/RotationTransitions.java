package keyfleet.keyring;

import java.util.Optional;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.KeystoreDecision.Accepted;
import keyfleet.keyring.KeystoreDecision.Ignored;
import keyfleet.keyring.KeystoreDecision.Refused;
import keyfleet.keyring.ReadinessGate.AnyProcesses;
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

/// The transition table of a rotation. The package description draws it.
final class RotationTransitions {
  private record Step(Rotation rotation, RotationEvent event) {}

  private RotationTransitions() {}

  static KeystoreDecision decide(Keystore keystore, RotationEvent event) {
    if (event instanceof DriverEvent driverEvent
        && !isForCurrentRotation(keystore, driverEvent.at())) {
      return new Ignored();
    }
    return switch (new Step(keystore.rotation(), event)) {
      case Step(Idle _, StartRequested e) -> start(keystore, e);
      case Step(Completed _, StartRequested e) -> start(keystore, e);
      case Step(Aborted _, StartRequested e) -> start(keystore, e);
      case Step(Blocked _, StartRequested e) -> start(keystore, e);
      case Step(Proving(RotationJob job), StartRequested e) when !isSameRequest(job, e) ->
          start(keystore, e);
      case Step(Running r, StartRequested e) -> startWhileRunning(r.job(), e);
      case Step(Paused(Running resumeTo), StartRequested e) -> startWhileRunning(resumeTo.job(), e);

      case Step(Staged(RotationJob job), Unstaged _) -> unstage(keystore, job, new Idle());
      case Step(Staged(RotationJob job), AbortRequested _) ->
          unstage(keystore, job, new Aborted(job));
      case Step(Staged(RotationJob job), GatePassed _) -> passGate(keystore, job);
      case Step(OpeningFences(RotationJob job), FencesOpened _) ->
          new Accepted(keystore.with(new Rewrapping(job)));
      case Step(Rewrapping(RotationJob job), RewrapEnded _) -> flip(keystore, job);
      case Step(Settling(RotationJob job), Settled _) -> settle(keystore, job);
      case Step(Fencing(RotationJob job), Fenced _) ->
          new Accepted(keystore.with(new Sweeping(job)));
      case Step(Sweeping(RotationJob job), SweepEnded _) ->
          new Accepted(keystore.with(new Proving(job)));
      case Step(Sweeping(RotationJob job), RecordsBlocked e) ->
          new Accepted(keystore.with(new Blocked(job, e.failedRecords())));
      case Step(Blocked(RotationJob job, _), RecordsRepaired _) ->
          new Accepted(keystore.with(new Sweeping(job)));
      case Step(Proving(RotationJob job), OldRecordsFound _) ->
          new Accepted(keystore.with(new Sweeping(job)));
      case Step(Proving(RotationJob job), Proved _) -> complete(keystore, job);

      case Step(OpeningFences(RotationJob job), AbortRequested _) -> turnBack(keystore, job);
      case Step(Rewrapping(RotationJob job), AbortRequested _) -> turnBack(keystore, job);
      case Step(Settling(RotationJob job), AbortRequested _) -> turnBack(keystore, job);
      case Step(Fencing(RotationJob job), AbortRequested _) -> turnBack(keystore, job);
      case Step(Sweeping(RotationJob job), AbortRequested _) -> refuseLateAbort(job);
      case Step(Proving(RotationJob job), AbortRequested _) ->
          hasFences(keystore) ? refuseLateAbort(job) : turnBack(keystore, job);
      case Step(Blocked(RotationJob job, _), AbortRequested _) -> refuseLateAbort(job);
      case Step(Paused(Running resumeTo), AbortRequested e) -> decide(keystore.with(resumeTo), e);

      case Step(Running r, PauseRequested _) -> new Accepted(keystore.with(new Paused(r)));
      case Step(Paused(Running resumeTo), ResumeRequested _) ->
          new Accepted(keystore.with(resumeTo));
      case Step(Running r, Adopted e) -> adopt(keystore, r, e);
      case Step(Paused _, PauseRequested _), Step(Running _, ResumeRequested _) -> new Ignored();
      case Step(_, PauseRequested _), Step(_, ResumeRequested _), Step(_, AbortRequested _) ->
          new Refused("no rotation is under way");
      case Step(_, Adopted _), Step(_, DriverEvent _) -> new Ignored();
    };
  }

  private static boolean isForCurrentRotation(Keystore keystore, RotationEvent.RotationEpoch at) {
    return Rotation.unfinishedJob(keystore.rotation())
            .map(job -> job.id().equals(at.id()))
            .orElse(false)
        && at.epoch() == keystore.epoch();
  }

  private static KeystoreDecision start(Keystore keystore, StartRequested request) {
    Optional<String> objection = startObjection(keystore, request);
    if (objection.isPresent()) {
      return new Refused(objection.get());
    }
    RotationJob job =
        new RotationJob(
            request.id(),
            request.kind(),
            request.from(),
            request.to(),
            request.expectedProcesses(),
            Course.FORWARD,
            request.driver());
    Keystore base = job.kind() == Kind.REVOCATION ? keystore.withCompromised(job.from()) : keystore;
    return new Accepted(base.with(new Staged(job), job.to(), VersionState.STAGED));
  }

  private static Optional<String> startObjection(Keystore keystore, StartRequested request) {
    KekVersion from = request.from();
    KekVersion to = request.to();
    if (!from.equals(keystore.active())) {
      return Optional.of("the active version is " + keystore.active() + ", not " + from);
    }
    Optional<VersionState> state = keystore.stateOf(to);
    if (state.isEmpty()) {
      return Optional.of(to + " is not announced");
    }
    if (state.get() != VersionState.ANNOUNCED) {
      return Optional.of(
          to + " is " + state.get().text() + "; only an announced version can be rotated to");
    }
    if (request.kind() == Kind.ROTATION && keystore.isCompromised(from)) {
      return Optional.of(
          from + " is compromised: a rotation would keep the data keys it wrapped; revoke it");
    }
    return request.kind() == Kind.DRY_RUN
        ? Rotation.unfinishedJob(keystore.rotation())
            .map(job ->
                "rotation %s is %s, and a dry run would drop it"
                    .formatted(job.id(), keystore.rotation().phase()))
        : Optional.empty();
  }

  private static boolean isSameRequest(RotationJob running, StartRequested request) {
    return running.kind() == request.kind()
        && running.from().equals(request.from())
        && running.to().equals(request.to());
  }

  /// Requesting the same rotation again is harmless, unless the second request expects more
  /// processes than the first.
  private static KeystoreDecision startWhileRunning(RotationJob running, StartRequested request) {
    boolean asksNoMore =
        request.expectedProcesses() instanceof AnyProcesses
            || request.expectedProcesses().equals(running.expectedProcesses());
    String underWay = "rotation " + running.id() + " to " + running.to() + " is under way";
    if (!isSameRequest(running, request)) {
      return new Refused(underWay);
    }
    return asksNoMore
        ? new Ignored()
        : new Refused(underWay + " and expects " + running.expectedProcesses().description());
  }

  private static KeystoreDecision unstage(Keystore keystore, RotationJob job, Rotation end) {
    return new Accepted(keystore.with(end, job.to(), VersionState.ANNOUNCED));
  }

  /// A dry run never passes the gate, whichever worker drives it. Without fences and records to
  /// move the flip follows at once.
  private static KeystoreDecision passGate(Keystore keystore, RotationJob job) {
    if (job.kind() == Kind.DRY_RUN) {
      return new Ignored();
    }
    return hasFences(keystore)
        ? new Accepted(keystore.withWritable(new OpeningFences(job), job.from(), job.to()))
        : flip(keystore, job);
  }

  private static KeystoreDecision settle(Keystore keystore, RotationJob job) {
    Running next = hasFences(keystore) ? new Fencing(job) : new Proving(job);
    return new Accepted(keystore.withWritable(next, job.to()));
  }

  /// The objects of a Kubernetes cluster are in etcd, which no fence of ours guards.
  private static boolean hasFences(Keystore keystore) {
    return keystore.identity().use() == Keystore.Use.RECORDS;
  }

  /// Swaps the active version. It does not wait until no record is left: the sweep moves the rest.
  private static KeystoreDecision flip(Keystore keystore, RotationJob job) {
    return new Accepted(keystore.withActive(job.to(), job.from(), new Settling(job)));
  }

  /// Goes back as a rotation of its own: new epoch, settle, fence, sweep, census. Records under the
  /// abandoned version exist, so it stays decrypt-only until none is left.
  private static KeystoreDecision turnBack(Keystore keystore, RotationJob job) {
    if (job.course() == Course.TURNED) {
      return new Ignored();
    }
    if (job.kind() == Kind.REVOCATION) {
      return new Refused(job.from() + " is compromised: the rotation cannot go back to it");
    }
    RotationJob back = job.withCourseTurned();
    return new Accepted(keystore.withActive(back.to(), back.from(), new Settling(back)));
  }

  private static KeystoreDecision refuseLateAbort(RotationJob job) {
    return job.course() == Course.TURNED
        ? new Ignored()
        : new Refused(
            "the stores already accept only " + job.to() + ": the rotation can only go forward");
  }

  /// No record carries an abandoned version now, so it may be rotated to again. No record carries a
  /// revoked version either, also of a revocation whose proof this one replaces, and no process
  /// needs it.
  private static KeystoreDecision complete(Keystore keystore, RotationJob job) {
    Keystore ended = keystore.with(Rotation.endState(job));
    if (job.course() == Course.TURNED) {
      ended = ended.with(ended.rotation(), job.from(), VersionState.ANNOUNCED);
    }
    for (KekVersion version : ended.decryptOnlyVersions()) {
      if (ended.isCompromised(version)) {
        ended = ended.with(ended.rotation(), version, VersionState.DISABLED);
      }
    }
    return new Accepted(ended);
  }

  /// A dry run stays with the worker that adopted it: another worker could only un-stage it, and
  /// need not be its driver for that.
  private static KeystoreDecision adopt(Keystore keystore, Running running, Adopted event) {
    RotationJob job = running.job();
    boolean taken = job.kind() == Kind.DRY_RUN && !job.isDrivenBy(RotationJob.NO_DRIVER);
    boolean changes = job.id().equals(event.id()) && !job.isDrivenBy(event.driver());
    return changes && !taken
        ? new Accepted(keystore.with(running.withDriver(event.driver())))
        : new Ignored();
  }
}
