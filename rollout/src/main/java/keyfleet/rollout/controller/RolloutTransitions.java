package keyfleet.rollout.controller;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
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
      case Step(Created(var run), Claimed(var claim)) -> new Rolling(run.withClaim(claim, now));
      case Step(Created(var run), PauseRequested _) -> new Paused(run, StopCause.OPERATOR);
      case Step(Created(var run), AbortRequested(var claim)) ->
          new Aborted(run.withClaim(claim, now).withoutDriverView(), StopCause.OPERATOR);
      case Step(Created(var run), RollbackRequested(var claim)) ->
          new RolledBack(run.withClaim(claim, now).withoutDriverView());

      case Step(Created(var run), DecisionsLost _) -> new Paused(run, StopCause.STORE_LOST);
      case Step(Rolling(var run), DecisionsLost _) -> safeHold(run, now);
      case Step(Paused r, DecisionsLost _) -> r.isSafeHold() ? r : safeHold(r.run(), now);
      case Step(Paused r, Observed seen) when r.isSafeHold() ->
          r.with(new ProgressRecovery(r.run()).recover(seen.reports(), now));

      case Step(Active r, Claimed(var claim)) -> settle(r.with(r.run().withClaim(claim, now)), now);
      case Step(Active r, Observed seen) ->
          settle(r.with(withObservation(r.run(), seen, now)), now);
      case Step(Active r, Ticked _) -> settle(r, now);
      case Step(Active r, NodeOccupied(var node)) ->
          settle(r.with(withOccupiedNode(r.run(), node, now)), now);
      case Step(Active r, ForgetRequested(var node)) ->
          settle(r.with(withForgottenNode(r.run(), node, now)), now);

      case Step(Rolling(var run), PauseRequested _) -> new Paused(run, StopCause.OPERATOR);
      case Step(Paused(var run, _), ResumeRequested _) -> settle(new Rolling(run), now);
      case Step(Aborting r, AbortRequested _) -> r;
      case Step(Active r, AbortRequested(var claim)) -> stop(r.run(), Goal.ROLLED_BACK, claim, now);
      case Step(Aborting(var run, StopOrder(var goal, _, _)), RollbackRequested(var claim)) ->
          goal == Goal.REVERTED ? rollout : stop(run, Goal.REVERTED, claim, now);
      case Step(Active r, RollbackRequested(var claim)) -> stop(r.run(), Goal.REVERTED, claim, now);
      case Step(Completed(var run), RollbackRequested(var claim)) ->
          stop(run, Goal.REVERTED, claim, now);
      case Step(Aborted(var run, _), RollbackRequested(var claim)) ->
          stop(run, Goal.REVERTED, claim, now);

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
    return new Paused(run.withDriverView(DriverView.empty(now)), StopCause.STORE_LOST);
  }

  private static RolloutRun withObservation(RolloutRun run, Observed seen, Duration now) {
    DriverView before = isFresh(run, now) ? run.driverView() : DriverView.empty(now);
    Map<NodeId, NodeReport> reports = new HashMap<>(before.reports());
    seen.reports().stream()
        .filter(it -> it.task().rollout().equals(run.spec().id()))
        .forEach(it -> reports.put(it.node(), it));
    Map<NodeId, Duration> waitingSince = new HashMap<>(before.waitingSince());
    for (NodeId node : run.progress().entries().keySet()) {
      boolean presenceChanged = before.present().contains(node) != seen.present().contains(node);
      if (presenceChanged) {
        waitingSince.put(node, now);
      }
    }
    Map<NodeId, NodeStatus> candidates = new HashMap<>();
    seen.candidates().forEach(it -> candidates.put(it.node(), it));
    return run.withDriverView(
        new DriverView(
            true,
            now,
            seen.present(),
            reports,
            candidates,
            waitingSince,
            before.lastBatchPassedAt()));
  }

  private static boolean isFresh(RolloutRun run, Duration now) {
    return run.driverView().isFresh(now, run.spec().timings().staleAfter());
  }

  /// Only a node that has nothing of this rollout can belong to another one (I12).
  private static RolloutRun withOccupiedNode(RolloutRun run, NodeId node, Duration now) {
    RolloutDraft draft = new RolloutDraft(run, now);
    NodeProgress progress = draft.progressOf(node);
    if (progress == NodeProgress.PREPARING || progress == NodeProgress.REVERTING) {
      draft.move(node, NodeProgress.OCCUPIED);
    }
    return draft.toRun();
  }

  private static RolloutRun withForgottenNode(RolloutRun run, NodeId node, Duration now) {
    NodeProgress progress = run.progress().progressByNode(run.spec()).get(node);
    RolloutDraft draft = new RolloutDraft(run, now);
    if (progress != null && FORGETTABLE.contains(progress)) {
      draft.move(node, NodeProgress.FORGOTTEN);
    }
    return draft.toRun();
  }

  /// The stop has an epoch under which no forward command was given (R18).
  private static Rollout stop(RolloutRun run, Goal goal, DriverClaim claim, Duration now) {
    long fence = Math.max(claim.epoch(), run.claim().epoch() + 1);
    return stop(run.withClaim(claim, now), new StopOrder(goal, fence, StopCause.OPERATOR), now);
  }

  private static Rollout stop(RolloutRun run, StopOrder stopOrder, Duration now) {
    RolloutDraft draft = new RolloutDraft(run, now);
    new StopSteps(draft, stopOrder).recallNodes();
    return settle(new Aborting(draft.toRun(), stopOrder), now);
  }

  /// Takes every step that needs no waiting. Each round only moves nodes further, so the loop ends.
  private static Rollout settle(Active start, Duration now) {
    Rollout rollout = start;
    while (rollout instanceof Active active) {
      Rollout next = settleOnce(active, now);
      if (next.equals(active)) {
        return active;
      }
      rollout = next;
    }
    return rollout;
  }

  private static Rollout settleOnce(Active active, Duration now) {
    return switch (active) {
      case Rolling r -> isFresh(r.run(), now) ? advance(r, now) : dropStaleView(r, now);
      case Paused r when r.isSafeHold() -> r;
      case Paused r -> isFresh(r.run(), now) ? judge(r, now) : dropStaleView(r, now);
      case Aborting r ->
          Rollout.shouldClaim(r)
              ? r.with(new RolloutDraft(r.run(), now).toRun())
              : continueStop(r, now);
    };
  }

  private static Active dropStaleView(Active active, Duration now) {
    RolloutRun run = active.run();
    return run.driverView().observed()
        ? active.with(run.withDriverView(DriverView.empty(now)))
        : active;
  }

  private static Rollout advance(Rolling rolling, Duration now) {
    Rollout judged = judge(rolling, now);
    if (!(judged instanceof Rolling(var run))) {
      return judged;
    }
    RolloutDraft draft = new RolloutDraft(run, now);
    ForwardSteps steps = new ForwardSteps(draft);
    steps.takeSteps();
    if (!steps.isComplete()) {
      return new Rolling(draft.toRun());
    }
    steps.giveUpSilentNodes();
    return new Completed(draft.toRun().withoutDriverView());
  }

  /// What follows from reports and deadlines, also while paused.
  private static Rollout judge(Active active, Duration now) {
    RolloutDraft draft = new RolloutDraft(active.run(), now);
    ForwardSteps steps = new ForwardSteps(draft);
    steps.judgeReports();
    steps.confirmSoaked();
    RolloutRun run = draft.toRun();
    if (steps.hasTooManyFailures()) {
      long fence = run.claim().epoch() + 1;
      return stop(run, new StopOrder(Goal.ROLLED_BACK, fence, StopCause.FAILURES), now);
    }
    boolean pauses = active instanceof Rolling && steps.isArtifactMissing();
    return pauses ? new Paused(run, StopCause.INFRASTRUCTURE) : active.with(run);
  }

  private static Rollout continueStop(Aborting aborting, Duration now) {
    StopOrder stopOrder = aborting.stopOrder();
    RolloutDraft draft = new RolloutDraft(aborting.run(), now);
    StopSteps steps = new StopSteps(draft, stopOrder);
    steps.takeSteps();
    RolloutRun run = draft.toRun();
    if (!steps.isOver()) {
      return new Aborting(run, stopOrder);
    }
    return stopOrder.goal() == Goal.REVERTED
        ? new RolledBack(run.withoutDriverView())
        : new Aborted(run.withoutDriverView(), stopOrder.cause());
  }
}
