package keyfleet.rollout;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.rollout.Rollout.Aborted;
import keyfleet.rollout.Rollout.Aborting;
import keyfleet.rollout.Rollout.Completed;
import keyfleet.rollout.Rollout.Created;
import keyfleet.rollout.Rollout.Driven;
import keyfleet.rollout.Rollout.Paused;
import keyfleet.rollout.Rollout.RolledBack;
import keyfleet.rollout.Rollout.Rolling;
import keyfleet.rollout.RolloutEvent.AbortOrdered;
import keyfleet.rollout.RolloutEvent.Claimed;
import keyfleet.rollout.RolloutEvent.ForgetOrdered;
import keyfleet.rollout.RolloutEvent.Observed;
import keyfleet.rollout.RolloutEvent.Occupied;
import keyfleet.rollout.RolloutEvent.PauseOrdered;
import keyfleet.rollout.RolloutEvent.ResumeOrdered;
import keyfleet.rollout.RolloutEvent.RollbackOrdered;
import keyfleet.rollout.RolloutEvent.Ticked;
import keyfleet.rollout.RolloutEvent.WentBack;

/// The transition table of a rollout. The diagram is in the package's description.
final class RolloutSteps {
  private record Step(Rollout rollout, RolloutEvent event) {}

  /// The nodes that an operator can take out. A confirmed node needs no forgetting, and a failed
  /// one is finished.
  private static final Set<Standing> FORGETTABLE =
      Set.of(
          Standing.PENDING,
          Standing.PENDING_OFFLINE,
          Standing.WAITING,
          Standing.PREPARING,
          Standing.APPLYING,
          Standing.CONFIRMING,
          Standing.FAILING,
          Standing.LOST,
          Standing.RECALLING,
          Standing.REVERTING);

  private RolloutSteps() {}

  static Rollout next(Rollout rollout, RolloutEvent event, Duration now) {
    return switch (new Step(rollout, event)) {
      case Step(Created(var run), Claimed(var lead)) -> new Rolling(run.led(lead, now));
      case Step(Created(var run), PauseOrdered _) -> new Paused(run, Cause.OPERATOR);
      case Step(Created(var run), AbortOrdered(var lead)) ->
          new Aborted(run.led(lead, now).over(), Cause.OPERATOR);
      case Step(Created(var run), RollbackOrdered(var lead)) ->
          new RolledBack(run.led(lead, now).over());

      case Step(Created(var run), WentBack _) -> new Paused(run, Cause.STORE_LOST);
      case Step(Rolling(var run), WentBack _) -> safeHold(run, now);
      case Step(Paused r, WentBack _) -> r.isSafeHold() ? r : safeHold(r.run(), now);
      case Step(Paused r, Observed seen) when r.isSafeHold() ->
          r.with(new Recovery(r.run()).recovered(seen.reports(), now));

      case Step(Driven r, Claimed(var lead)) -> settled(r.with(r.run().led(lead, now)), now);
      case Step(Driven r, Observed seen) -> settled(r.with(observed(r.run(), seen, now)), now);
      case Step(Driven r, Ticked _) -> settled(r, now);
      case Step(Driven r, Occupied(var node)) -> settled(r.with(occupied(r.run(), node, now)), now);
      case Step(Driven r, ForgetOrdered(var node)) ->
          settled(r.with(forgotten(r.run(), node, now)), now);

      case Step(Rolling(var run), PauseOrdered _) -> new Paused(run, Cause.OPERATOR);
      case Step(Paused(var run, _), ResumeOrdered _) -> settled(new Rolling(run), now);
      case Step(Aborting r, AbortOrdered _) -> r;
      case Step(Driven r, AbortOrdered(var lead)) -> stopping(r.run(), Goal.ROLLED_BACK, lead, now);
      case Step(Aborting(var run, Recall(var goal, _, _)), RollbackOrdered(var lead)) ->
          goal == Goal.REVERTED ? rollout : stopping(run, Goal.REVERTED, lead, now);
      case Step(Driven r, RollbackOrdered(var lead)) -> stopping(r.run(), Goal.REVERTED, lead, now);
      case Step(Completed(var run), RollbackOrdered(var lead)) ->
          stopping(run, Goal.REVERTED, lead, now);
      case Step(Aborted(var run, _), RollbackOrdered(var lead)) ->
          stopping(run, Goal.REVERTED, lead, now);

      case Step(Driven r, WentBack _) -> r; // a stopping rollout makes no more forward decisions
      case Step(Driven r, PauseOrdered _) -> r;
      case Step(Driven r, ResumeOrdered _) -> r;
      case Step(Created r, _) -> r;
      case Step(Aborted r, _) -> r;
      case Step(RolledBack r, _) -> r;
      case Step(Completed r, _) -> r;
    };
  }

  /// All waits start again when the rollout is resumed.
  private static Rollout safeHold(Run run, Duration now) {
    return new Paused(run.remembering(Outlook.blank(now)), Cause.STORE_LOST);
  }

  private static Run observed(Run run, Observed seen, Duration now) {
    Outlook before = isFresh(run, now) ? run.outlook() : Outlook.blank(now);
    Map<NodeId, NodeReport> reports = new HashMap<>(before.reports());
    seen.reports().stream()
        .filter(it -> it.task().rollout().equals(run.spec().id()))
        .forEach(it -> reports.put(it.node(), it));
    Map<NodeId, Duration> since = new HashMap<>(before.since());
    for (NodeId node : run.ledger().places().keySet()) {
      boolean turned = before.present().contains(node) != seen.present().contains(node);
      if (turned) {
        since.put(node, now);
      }
    }
    Map<NodeId, NodeStatus> candidates = new HashMap<>();
    seen.candidates().forEach(it -> candidates.put(it.node(), it));
    return run.remembering(
        new Outlook(true, now, seen.present(), reports, candidates, since, before.batchSince()));
  }

  private static boolean isFresh(Run run, Duration now) {
    return run.outlook().isFresh(now, run.spec().times().stale());
  }

  /// Only a node that has nothing of this rollout can belong to another one (I12).
  private static Run occupied(Run run, NodeId node, Duration now) {
    Muster muster = new Muster(run, now);
    Standing standing = muster.standing(node);
    if (standing == Standing.PREPARING || standing == Standing.REVERTING) {
      muster.move(node, Standing.OCCUPIED);
    }
    return muster.run();
  }

  private static Run forgotten(Run run, NodeId node, Duration now) {
    Standing standing = run.ledger().standings(run.spec()).get(node);
    Muster muster = new Muster(run, now);
    if (standing != null && FORGETTABLE.contains(standing)) {
      muster.move(node, Standing.FORGOTTEN);
    }
    return muster.run();
  }

  /// The stop has an epoch under which no forward command was given (R18).
  private static Rollout stopping(Run run, Goal goal, Lead lead, Duration now) {
    long fence = Math.max(lead.epoch(), run.lead().epoch() + 1);
    return stopping(run.led(lead, now), new Recall(goal, fence, Cause.OPERATOR), now);
  }

  private static Rollout stopping(Run run, Recall recall, Duration now) {
    Muster muster = new Muster(run, now);
    new Retreat(muster, recall).begin();
    return settled(new Aborting(muster.run(), recall), now);
  }

  /// Takes every step that needs no waiting. Each round only moves nodes further, so the loop ends.
  private static Rollout settled(Driven start, Duration now) {
    Rollout rollout = start;
    while (rollout instanceof Driven driven) {
      Rollout next = round(driven, now);
      if (next.equals(driven)) {
        return driven;
      }
      rollout = next;
    }
    return rollout;
  }

  private static Rollout round(Driven driven, Duration now) {
    return switch (driven) {
      case Rolling r -> isFresh(r.run(), now) ? rolled(r, now) : blinded(r, now);
      case Paused r when r.isSafeHold() -> r;
      case Paused r -> isFresh(r.run(), now) ? judged(r, now) : blinded(r, now);
      case Aborting r ->
          Rollout.wantsLead(r) ? r.with(new Muster(r.run(), now).run()) : withdrawn(r, now);
    };
  }

  /// A view that is too old is dropped.
  private static Driven blinded(Driven driven, Duration now) {
    Run run = driven.run();
    return run.outlook().looked() ? driven.with(run.remembering(Outlook.blank(now))) : driven;
  }

  private static Rollout rolled(Rolling rolling, Duration now) {
    Rollout judged = judged(rolling, now);
    if (!(judged instanceof Rolling(var run))) {
      return judged;
    }
    Muster muster = new Muster(run, now);
    Advance advance = new Advance(muster);
    advance.proceed();
    if (!advance.isComplete()) {
      return new Rolling(muster.run());
    }
    advance.giveUp();
    return new Completed(muster.run().over());
  }

  /// What follows from reports and deadlines, also while paused.
  private static Rollout judged(Driven driven, Duration now) {
    Muster muster = new Muster(driven.run(), now);
    Advance advance = new Advance(muster);
    advance.judge();
    advance.confirm();
    Run run = muster.run();
    if (advance.isFailing()) {
      long fence = run.lead().epoch() + 1;
      return stopping(run, new Recall(Goal.ROLLED_BACK, fence, Cause.FAILURES), now);
    }
    boolean pauses = driven instanceof Rolling && advance.isStarved();
    return pauses ? new Paused(run, Cause.INFRASTRUCTURE) : driven.with(run);
  }

  private static Rollout withdrawn(Aborting aborting, Duration now) {
    Recall recall = aborting.recall();
    Muster muster = new Muster(aborting.run(), now);
    Retreat retreat = new Retreat(muster, recall);
    retreat.proceed();
    Run run = muster.run();
    if (!retreat.isOver()) {
      return new Aborting(run, recall);
    }
    return recall.goal() == Goal.REVERTED
        ? new RolledBack(run.over())
        : new Aborted(run.over(), recall.cause());
  }

  /// Tries the end of every wait, earliest first, because some waits end without effect.
  static Optional<Duration> wakeAt(Rollout rollout) {
    return rollout instanceof Driven driven
        ? ends(driven.run()).stream()
            .filter(end -> !settled(driven, end).equals(driven))
            .findFirst()
        : Optional.empty();
  }

  private static Set<Duration> ends(Run run) {
    Times times = run.spec().times();
    Outlook outlook = run.outlook();
    Set<Duration> ends = new TreeSet<>();
    ends.add(outlook.lookedAt().plus(times.stale()).plusNanos(1));
    ends.add(outlook.batchSince().plus(times.batchPause()));
    ends.add(outlook.batchSince().plus(times.laneWait()));
    outlook
        .since()
        .forEach((node, since) -> {
          Place place = run.ledger().places().get(node);
          if (place != null && place.standing() == Standing.PREPARING) {
            ends.add(since.plus(times.prepareWithin()));
          } else if (place != null && place.standing() == Standing.OCCUPIED) {
            ends.add(since.plus(times.stale()));
          } else if (place != null && place.standing().isFlying()) {
            ends.add(since.plus(times.settleWithin()));
          }
        });
    return ends;
  }
}
