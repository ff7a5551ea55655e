package keyfleet.rollout.controller;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodeReport;

/// The state of a rollout. The transitions are drawn in the package's description. `now` is the
/// elapsed time of the driver.
public sealed interface Rollout {
  /// No driver has claimed it yet.
  record Created(RolloutRun run) implements Rollout {}

  /// A rollout that a driver must continue.
  sealed interface Active extends Rollout {
    @Override
    Active with(RolloutRun run);
  }

  record Rolling(RolloutRun run) implements Active {
    @Override
    public Rolling with(RolloutRun next) {
      return new Rolling(next);
    }
  }

  /// The driver takes no new step, but confirms nodes that have soaked (R19).
  record Paused(RolloutRun run, StopCause cause) implements Active {
    @Override
    public Paused with(RolloutRun next) {
      return new Paused(next, cause);
    }

    /// R24: nodes that have soaked are not confirmed either.
    boolean isSafeHold() {
      return cause == StopCause.STORE_LOST;
    }
  }

  /// Nodes on the way roll back; the rollout is not over while a node of
  /// [RolloutProgress#awaitedNodes] is silent.
  record Aborting(RolloutRun run, StopOrder stopOrder) implements Active {
    @Override
    public Aborting with(RolloutRun next) {
      return new Aborting(next, stopOrder);
    }
  }

  record Aborted(RolloutRun run, StopCause cause) implements Rollout {}

  record RolledBack(RolloutRun run) implements Rollout {}

  record Completed(RolloutRun run) implements Rollout {}

  RolloutRun run();

  /// The same state with another run; a rollout that has ended stays as it is.
  default Rollout with(RolloutRun next) {
    return this;
  }

  static Rollout next(Rollout rollout, RolloutEvent event, Duration now) {
    return RolloutTransitions.next(rollout, event, now);
  }

  static boolean isEnded(Rollout rollout) {
    return rollout instanceof Aborted
        || rollout instanceof RolledBack
        || rollout instanceof Completed;
  }

  /// Whether the rollout can continue only after a driver has won a new epoch: no driver has
  /// claimed it yet, or it stops and no command under an older claim may be obeyed any more (R18).
  static boolean shouldClaim(Rollout rollout) {
    return switch (rollout) {
      case Created _ -> true;
      case Aborting(var run, var stopOrder) -> run.claim().epoch() < stopOrder.fence();
      case Rolling(var run) -> run.claim().equals(DriverClaim.NONE);
      case Paused(var run, _) -> run.claim().equals(DriverClaim.NONE);
      case Aborted _, RolledBack _, Completed _ -> false;
    };
  }

  /// Why the driver starts nothing new although no operator has paused the rollout; empty if it
  /// continues.
  static Optional<String> holdReason(Rollout rollout) {
    if (rollout instanceof Paused paused && paused.isSafeHold()) {
      return Optional.of(
          "the store lost decisions of this rollout; they are rebuilt from the nodes' reports;"
              + " check the nodes, then resume the rollout");
    }
    if (rollout instanceof Paused paused && paused.cause() == StopCause.INFRASTRUCTURE) {
      return Optional.of(
          "a node could not fetch or store the release; see its report, then resume the rollout");
    }
    if (!(rollout instanceof Rolling(var run)) || !run.driverView().observed()) {
      return Optional.empty();
    }
    RolloutDraft draft = new RolloutDraft(run, Duration.ZERO);
    InFlightBudget budget = new InFlightBudget(draft);
    if (budget.isUnavailableLimitExceeded()) {
      return Optional.of(budget.description());
    }
    if (draft.hasNoCanaries()) {
      return Optional.of(
          "no canary is left: each belongs to another rollout, was excluded, or was forgotten");
    }
    List<NodeId> stalled = draft.stalledCanaries();
    return stalled.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "canaries are unreachable or lost; forget them or abort the rollout: "
                + stalled.stream().map(NodeId::value).collect(Collectors.joining(", ")));
  }

  /// Whether a node has obeyed a decision that the stored rollout does not contain: then the store
  /// has lost it (R24).
  static boolean hasLostDecisions(Rollout rollout, List<NodeReport> reports) {
    return (rollout instanceof Created || rollout instanceof Rolling || rollout instanceof Paused)
        && new ProgressRecovery(rollout.run()).hasLostDecisions(reports);
  }

  /// What a node should do. It depends on the state alone, so it is always safe to send again
  /// (R12).
  static Optional<NodeAssignment> assignment(Rollout rollout, NodeId node) {
    NodeEntry entry = rollout.run().progress().entries().get(node);
    boolean held = rollout instanceof Paused paused && paused.isSafeHold();
    return entry == null || shouldClaim(rollout) || held
        ? Optional.empty()
        : goal(rollout, entry.progress())
            .map(goal -> new NodeAssignment(rollout.run().spec().taskFor(entry.attempt()), goal));
  }

  /// The nodes that must get an order. Confirmed and reverted nodes have already got theirs.
  static Map<NodeId, NodeAssignment> assignments(Rollout rollout) {
    Map<NodeId, NodeAssignment> orders = new LinkedHashMap<>();
    rollout
        .run()
        .progress()
        .entries()
        .forEach((node, entry) -> {
          NodeProgress progress = entry.progress();
          if (progress != NodeProgress.CONFIRMED && progress != NodeProgress.REVERTED) {
            assignment(rollout, node).ifPresent(order -> orders.put(node, order));
          }
        });
    return orders;
  }

  private static Optional<Goal> goal(Rollout rollout, NodeProgress progress) {
    return switch (progress) {
      case PENDING, PENDING_OFFLINE, EXCLUDED, OCCUPIED, WAITING -> Optional.empty();
      case PREPARING -> Optional.of(Goal.STAGED);
      case APPLYING -> Optional.of(Goal.APPLIED);
      case CONFIRMING, CONFIRMED -> Optional.of(Goal.CONFIRMED);
      case FAILING, FAILED, LOST, RECALLING, RECALLED -> Optional.of(Goal.ROLLED_BACK);
      case REVERTING, REVERTED, KEPT -> Optional.of(Goal.REVERTED);
      case FORGOTTEN -> Optional.of(isRevert(rollout) ? Goal.REVERTED : Goal.ROLLED_BACK);
    };
  }

  private static boolean isRevert(Rollout rollout) {
    return rollout instanceof RolledBack
        || (rollout instanceof Aborting(_, var stopOrder) && stopOrder.goal() == Goal.REVERTED);
  }
}
