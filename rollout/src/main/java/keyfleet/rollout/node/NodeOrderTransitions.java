package keyfleet.rollout.node;

import java.util.List;
import java.util.Optional;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Task;
import keyfleet.rollout.node.Node.Applying;
import keyfleet.rollout.node.Node.Check;
import keyfleet.rollout.node.Node.Confirmed;
import keyfleet.rollout.node.Node.Ended;
import keyfleet.rollout.node.Node.Preparing;
import keyfleet.rollout.node.Node.Reverted;
import keyfleet.rollout.node.Node.RolledBack;
import keyfleet.rollout.node.Node.RollingBack;
import keyfleet.rollout.node.Node.Soaked;
import keyfleet.rollout.node.Node.Soaking;
import keyfleet.rollout.node.Node.Staged;
import keyfleet.rollout.node.Node.Tasked;
import keyfleet.rollout.node.Node.Undo;
import keyfleet.rollout.node.NodeReply.Busy;
import keyfleet.rollout.node.NodeReply.Refused;
import keyfleet.rollout.node.NodeReply.StaleEpoch;

/// The transitions of a node that an order causes.
final class NodeOrderTransitions {
  private NodeOrderTransitions() {}

  static Node afterOrder(Node node, DesiredState order, long now) {
    Optional<NodeReply> objection = objection(node, order);
    if (objection.isPresent()) {
      return objection.get() instanceof Busy ? afterForeignOrder(node, order, now) : node;
    }
    return stateIn(node, order.task().rollout())
        .map(it -> afterRepeatedOrder(it.with(it.nodeTask().afterOrder(order)), order, now))
        .orElseGet(() -> afterFirstOrder(node, order));
  }

  /// Why an order is not obeyed now; empty if it is. It is for another component, from a superseded
  /// driver (R2), or from another rollout while one is in progress (R4).
  static Optional<NodeReply> objection(Node node, DesiredState order) {
    Task task = order.task();
    if (!task.component().equals(node.baseline().component())) {
      return Optional.of(
          new Refused(List.of("the order is not for component " + node.baseline().component())));
    }
    DriverClaim highest =
        stateIn(node, task.rollout()).map(it -> it.nodeTask().claim()).orElse(DriverClaim.NONE);
    if (order.claim().equals(DriverClaim.NONE) || !highest.canYieldTo(order.claim())) {
      return Optional.of(new StaleEpoch(highest));
    }
    return node instanceof Tasked t
            && !(node instanceof Ended)
            && !t.nodeTask().isFor(task.rollout())
        ? Optional.of(new Busy(t.nodeTask().task().rollout()))
        : Optional.empty();
  }

  /// Another rollout orders the node, so the rollout that the node is busy with has ended or never
  /// owned it: a driver may wake up long after the end and order its next node to prepare, and no
  /// driver would revoke that order. An unconfirmed release that runs has a deadline. A staged one
  /// has none and is discarded.
  private static Node afterForeignOrder(Node node, DesiredState order, long now) {
    if (!(node instanceof Tasked tasked)
        || !(node instanceof Preparing || node instanceof Staged)) {
      return node;
    }
    Node discarded =
        NodeTransitions.discardRelease(tasked.nodeTask(), RollbackReason.ORDERED, List.of());
    return discarded instanceof Ended ? afterOrder(discarded, order, now) : discarded;
  }

  /// The node's state in a rollout that it knows; for a finished rollout, its final state.
  static Optional<Tasked> stateIn(Node node, RolloutId rollout) {
    if (node instanceof Tasked tasked && tasked.nodeTask().isFor(rollout)) {
      return Optional.of(tasked);
    }
    return node.baseline()
        .historyEntry(rollout)
        .map(entry -> fromHistory(archivedBaseline(node), entry));
  }

  /// The baseline with the ended task moved into its history.
  private static NodeBaseline archivedBaseline(Node node) {
    return node instanceof Ended ended
        ? ended.baseline().withHistoryEntry(NodeTransitions.toHistoryEntry(ended))
        : node.baseline();
  }

  /// A release that was confirmed and no longer is has effectively been reverted by a later
  /// rollout.
  private static Ended fromHistory(NodeBaseline baseline, TaskHistoryEntry entry) {
    NodeTask nodeTask =
        new NodeTask(
            baseline, entry.task(), entry.releaseBefore(), entry.claim(), entry.direction());
    return switch (entry.phase()) {
      case CONFIRMED ->
          baseline.confirmed().equals(entry.task().release())
              ? new Confirmed(nodeTask)
              : new Reverted(nodeTask);
      case REVERTED -> new Reverted(nodeTask);
      case ROLLED_BACK -> new RolledBack(nodeTask, entry.rollbackReason(), List.of());
      case PREPARING, STAGED, APPLYING, SOAKING, SOAKED, ROLLING_BACK ->
          throw new IllegalStateException("a finished task cannot be in phase " + entry.phase());
    };
  }

  /// A confirm for an unknown task is no reason to install the release. An abort must be
  /// acknowledged all the same, and the rollout remembered as turned back (I3).
  private static Node afterFirstOrder(Node node, DesiredState order) {
    NodeTask nodeTask = NodeTask.start(archivedBaseline(node), order);
    return switch (order.goal()) {
      case STAGED, APPLIED -> new Preparing(nodeTask);
      case CONFIRMED -> node;
      case ROLLED_BACK, REVERTED -> new RolledBack(nodeTask, RollbackReason.ORDERED, List.of());
    };
  }

  /// An order to go back applies to all attempts of a rollout, a forward order only to the attempt
  /// it names.
  private static Node afterRepeatedOrder(Tasked node, DesiredState order, long now) {
    int attemptDifference =
        Integer.compare(order.task().attempt(), node.nodeTask().task().attempt());
    if (!order.goal().isForward()) {
      NodeTask renumbered = node.nodeTask().withAttempt(order.task().attempt());
      return towards(node.with(renumbered), order.goal(), now);
    }
    if (attemptDifference == 0 && order.task().equals(node.nodeTask().task())) {
      return towards(node, order.goal(), now);
    }
    return attemptDifference > 0 ? afterLaterAttempt(node, order) : node;
  }

  /// A later attempt begins only if this one runs nothing unconfirmed; otherwise the deadline ends
  /// this one first (I2). A confirmed release counts for every attempt.
  private static Node afterLaterAttempt(Tasked node, DesiredState order) {
    boolean same = order.task().release().equals(node.nodeTask().task().release());
    if (node.nodeTask().isTurnedBack() || !same || order.goal() == Goal.CONFIRMED) {
      return node;
    }
    return switch (node) {
      case Preparing _, Staged _, RolledBack _ ->
          new Preparing(node.nodeTask().withNewAttempt(order.task()));
      case Confirmed c -> c.with(c.nodeTask().withAttempt(order.task().attempt()));
      case Applying _, Soaking _, Soaked _, RollingBack _, Reverted _ -> node;
    };
  }

  private static Node towards(Tasked node, Goal goal, long now) {
    NodeTask nodeTask = node.nodeTask();
    return switch (goal) {
      case STAGED -> node;
      case APPLIED ->
          node instanceof Staged
              ? new Applying(
                  nodeTask, Check.OPEN, now + ElapsedTime.toNanos(nodeTask.task().confirmWithin()))
              : node;
      case CONFIRMED ->
          node instanceof Soaked soaked && soaked.soakHealth().isReady()
              ? NodeTransitions.confirm(nodeTask)
              : node;
      case ROLLED_BACK -> towardsRollback(node);
      case REVERTED ->
          node instanceof Confirmed && nodeTask.canRevert()
              ? new RollingBack(nodeTask, Undo.REVERT, RollbackReason.ORDERED, List.of())
              : towardsRollback(node);
    };
  }

  /// R8: a staged release is discarded, a running one is swapped back, a confirmed one stays.
  private static Node towardsRollback(Tasked node) {
    return switch (node) {
      case Preparing _, Staged _ ->
          NodeTransitions.discardRelease(node.nodeTask(), RollbackReason.ORDERED, List.of());
      case Applying _, Soaking _, Soaked _ ->
          NodeTransitions.swapBack(node.nodeTask(), RollbackReason.ORDERED);
      case RollingBack _, Ended _ -> node;
    };
  }
}
