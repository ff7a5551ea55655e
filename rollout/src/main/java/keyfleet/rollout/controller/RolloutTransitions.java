package keyfleet.rollout.controller;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.controller.Rollout.Aborted;
import keyfleet.rollout.controller.Rollout.Aborting;
import keyfleet.rollout.controller.Rollout.Active;
import keyfleet.rollout.controller.Rollout.Completed;
import keyfleet.rollout.controller.Rollout.Created;
import keyfleet.rollout.controller.Rollout.Paused;
import keyfleet.rollout.controller.Rollout.RolledBack;
import keyfleet.rollout.controller.Rollout.Rolling;
import keyfleet.rollout.controller.RolloutEvent.AbortRequested;
import keyfleet.rollout.controller.RolloutEvent.Claimed;
import keyfleet.rollout.controller.RolloutEvent.DecisionsLost;
import keyfleet.rollout.controller.RolloutEvent.ForgetRequested;
import keyfleet.rollout.controller.RolloutEvent.NodeOccupied;
import keyfleet.rollout.controller.RolloutEvent.Observed;
import keyfleet.rollout.controller.RolloutEvent.PauseRequested;
import keyfleet.rollout.controller.RolloutEvent.ResumeRequested;
import keyfleet.rollout.controller.RolloutEvent.RollbackRequested;
import keyfleet.rollout.controller.RolloutEvent.Ticked;
import keyfleet.rollout.plan.NodeStatus;

/// The transition table of a rollout. The diagram is in the package's description.
final class RolloutTransitions {
  private record Step(Rollout rollout, RolloutEvent event) {}

  /// The nodes that an operator can take out. A confirmed node needs no forgetting, and a failed
  /// one is finished.
  private static final Set<NodeProgress> FORGETTABLE =
      Set.of(
          NodeProgress.PENDING,
          NodeProgress.PENDING_OFFLINE,
          NodeProgress.WAITING,
          NodeProgress.PREPARING,
          NodeProgress.APPLYING,
          NodeProgress.CONFIRMING,
          NodeProgress.FAILING,
          NodeProgress.LOST,
          NodeProgress.RECALLING,
          NodeProgress.REVERTING);

  private RolloutTransitions() {}

  static Rollout next(Rollout rollout, RolloutEvent event, Duration now) {
    return switch (new Step(rollout, event)) {
      case Step(Created(var run), Claimed(var lead)) -> new Rolling(run.led(lead, now));
      case Step(Created(var run), PauseRequested _) -> new Paused(run, StopCause.OPERATOR);
      case Step(Created(var run), AbortRequested(var lead)) ->
          new Aborted(run.led(lead, now).over(), StopCause.OPERATOR);
      case Step(Created(var run), RollbackRequested(var lead)) ->
          new RolledBack(run.led(lead, now).over());

      case Step(Created(var run), DecisionsLost _) -> new Paused(run, StopCause.STORE_LOST);
      case Step(Rolling(var run), DecisionsLost _) -> safeHold(run, now);
      case Step(Paused r, DecisionsLost _) -> r.isSafeHold() ? r : safeHold(r.run(), now);
      case Step(Paused r, Observed seen) when r.isSafeHold() ->
          r.with(new ProgressRecovery(r.run()).recovered(seen.reports(), now));

      case Step(Active r, Claimed(var lead)) -> settled(r.with(r.run().led(lead, now)), now);
      case Step(Active r, Observed seen) -> settled(r.with(observed(r.run(), seen, now)), now);
      case Step(Active r, Ticked _) -> settled(r, now);
      case Step(Active r, NodeOccupied(var node)) ->
          settled(r.with(occupied(r.run(), node, now)), now);
      case Step(Active r, ForgetRequested(var node)) ->
          settled(r.with(forgotten(r.run(), node, now)), now);

      case Step(Rolling(var run), PauseRequested _) -> new Paused(run, StopCause.OPERATOR);
      case Step(Paused(var run, _), ResumeRequested _) -> settled(new Rolling(run), now);
      case Step(Aborting r, AbortRequested _) -> r;
      case Step(Active r, AbortRequested(var lead)) ->
          stopping(r.run(), Goal.ROLLED_BACK, lead, now);
      case Step(Aborting(var run, StopOrder(var goal, _, _)), RollbackRequested(var lead)) ->
          goal == Goal.REVERTED ? rollout : stopping(run, Goal.REVERTED, lead, now);
      case Step(Active r, RollbackRequested(var lead)) ->
          stopping(r.run(), Goal.REVERTED, lead, now);
      case Step(Completed(var run), RollbackRequested(var lead)) ->
          stopping(run, Goal.REVERTED, lead, now);
      case Step(Aborted(var run, _), RollbackRequested(var lead)) ->
          stopping(run, Goal.REVERTED, lead, now);

      case Step(Active r, DecisionsLost _) ->
          r; // a stopping rollout makes no more forward decisions
      case Step(Active r, PauseRequested _) -> r;
      case Step(Active r, ResumeRequested _) -> r;
      case Step(Created r, _) -> r;
      case Step(Aborted r, _) -> r;
      case Step(RolledBack r, _) -> r;
      case Step(Completed r, _) -> r;
    };
  }

  /// All waits start again when the rollout is resumed.
  private static Rollout safeHold(RolloutRun run, Duration now) {
    return new Paused(run.remembering(DriverView.blank(now)), StopCause.STORE_LOST);
  }

  private static RolloutRun observed(RolloutRun run, Observed seen, Duration now) {
    DriverView before = isFresh(run, now) ? run.outlook() : DriverView.blank(now);
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
        new DriverView(true, now, seen.present(), reports, candidates, since, before.batchSince()));
  }

  private static boolean isFresh(RolloutRun run, Duration now) {
    return run.outlook().isFresh(now, run.spec().times().stale());
  }

  /// Only a node that has nothing of this rollout can belong to another one (I12).
  private static RolloutRun occupied(RolloutRun run, NodeId node, Duration now) {
    RolloutDraft muster = new RolloutDraft(run, now);
    NodeProgress standing = muster.standing(node);
    if (standing == NodeProgress.PREPARING || standing == NodeProgress.REVERTING) {
      muster.move(node, NodeProgress.OCCUPIED);
    }
    return muster.run();
  }

  private static RolloutRun forgotten(RolloutRun run, NodeId node, Duration now) {
    NodeProgress standing = run.ledger().standings(run.spec()).get(node);
    RolloutDraft muster = new RolloutDraft(run, now);
    if (standing != null && FORGETTABLE.contains(standing)) {
      muster.move(node, NodeProgress.FORGOTTEN);
    }
    return muster.run();
  }

  /// The stop has an epoch under which no forward command was given (R18).
  private static Rollout stopping(RolloutRun run, Goal goal, DriverClaim lead, Duration now) {
    long fence = Math.max(lead.epoch(), run.lead().epoch() + 1);
    return stopping(run.led(lead, now), new StopOrder(goal, fence, StopCause.OPERATOR), now);
  }

  private static Rollout stopping(RolloutRun run, StopOrder recall, Duration now) {
    RolloutDraft muster = new RolloutDraft(run, now);
    new StopSteps(muster, recall).begin();
    return settled(new Aborting(muster.run(), recall), now);
  }

  /// Takes every step that needs no waiting. Each round only moves nodes further, so the loop ends.
  private static Rollout settled(Active start, Duration now) {
    Rollout rollout = start;
    while (rollout instanceof Active driven) {
      Rollout next = round(driven, now);
      if (next.equals(driven)) {
        return driven;
      }
      rollout = next;
    }
    return rollout;
  }

  private static Rollout round(Active driven, Duration now) {
    return switch (driven) {
      case Rolling r -> isFresh(r.run(), now) ? rolled(r, now) : blinded(r, now);
      case Paused r when r.isSafeHold() -> r;
      case Paused r -> isFresh(r.run(), now) ? judged(r, now) : blinded(r, now);
      case Aborting r ->
          Rollout.wantsLead(r) ? r.with(new RolloutDraft(r.run(), now).run()) : withdrawn(r, now);
    };
  }

  /// A view that is too old is dropped.
  private static Active blinded(Active driven, Duration now) {
    RolloutRun run = driven.run();
    return run.outlook().looked() ? driven.with(run.remembering(DriverView.blank(now))) : driven;
  }

  private static Rollout rolled(Rolling rolling, Duration now) {
    Rollout judged = judged(rolling, now);
    if (!(judged instanceof Rolling(var run))) {
      return judged;
    }
    RolloutDraft muster = new RolloutDraft(run, now);
    ForwardSteps advance = new ForwardSteps(muster);
    advance.proceed();
    if (!advance.isComplete()) {
      return new Rolling(muster.run());
    }
    advance.giveUp();
    return new Completed(muster.run().over());
  }

  /// What follows from reports and deadlines, also while paused.
  private static Rollout judged(Active driven, Duration now) {
    RolloutDraft muster = new RolloutDraft(driven.run(), now);
    ForwardSteps advance = new ForwardSteps(muster);
    advance.judge();
    advance.confirm();
    RolloutRun run = muster.run();
    if (advance.isFailing()) {
      long fence = run.lead().epoch() + 1;
      return stopping(run, new StopOrder(Goal.ROLLED_BACK, fence, StopCause.FAILURES), now);
    }
    boolean pauses = driven instanceof Rolling && advance.isStarved();
    return pauses ? new Paused(run, StopCause.INFRASTRUCTURE) : driven.with(run);
  }

  private static Rollout withdrawn(Aborting aborting, Duration now) {
    StopOrder recall = aborting.recall();
    RolloutDraft muster = new RolloutDraft(aborting.run(), now);
    StopSteps retreat = new StopSteps(muster, recall);
    retreat.proceed();
    RolloutRun run = muster.run();
    if (!retreat.isOver()) {
      return new Aborting(run, recall);
    }
    return recall.goal() == Goal.REVERTED
        ? new RolledBack(run.over())
        : new Aborted(run.over(), recall.cause());
  }

  /// Tries the end of every wait, earliest first, because some waits end without effect.
  static Optional<Duration> wakeAt(Rollout rollout) {
    return rollout instanceof Active driven
        ? ends(driven.run()).stream()
            .filter(end -> !settled(driven, end).equals(driven))
            .findFirst()
        : Optional.empty();
  }

  private static Set<Duration> ends(RolloutRun run) {
    RolloutTimings times = run.spec().times();
    DriverView outlook = run.outlook();
    Set<Duration> ends = new TreeSet<>();
    ends.add(outlook.lookedAt().plus(times.stale()).plusNanos(1));
    ends.add(outlook.batchSince().plus(times.batchPause()));
    ends.add(outlook.batchSince().plus(times.laneWait()));
    outlook
        .since()
        .forEach((node, since) -> {
          NodeEntry place = run.ledger().places().get(node);
          if (place != null && place.standing() == NodeProgress.PREPARING) {
            ends.add(since.plus(times.prepareWithin()));
          } else if (place != null && place.standing() == NodeProgress.OCCUPIED) {
            ends.add(since.plus(times.stale()));
          } else if (place != null && place.standing().isFlying()) {
            ends.add(since.plus(times.settleWithin()));
          }
        });
    return ends;
  }
}
