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

  static Node obeyed(Node node, DesiredState desired, long now) {
    Optional<NodeReply> objection = fenced(node, desired);
    if (objection.isPresent()) {
      return objection.get() instanceof Busy ? left(node, desired, now) : node;
    }
    return known(node, desired.task().rollout())
        .map(it -> again(it.with(it.duty().heard(desired)), desired, now))
        .orElseGet(() -> first(node, desired));
  }

  /// Why an order is not obeyed now; empty if it is. It is for another component, from a superseded
  /// driver (R2), or from another rollout while one is in progress (R4).
  static Optional<NodeReply> fenced(Node node, DesiredState desired) {
    Task task = desired.task();
    if (!task.component().equals(node.ground().component())) {
      return Optional.of(
          new Refused(List.of("the order is not for component " + node.ground().component())));
    }
    DriverClaim highest =
        known(node, task.rollout()).map(it -> it.duty().lead()).orElse(DriverClaim.NOBODY);
    if (desired.lead().equals(DriverClaim.NOBODY) || !highest.yieldsTo(desired.lead())) {
      return Optional.of(new StaleEpoch(highest));
    }
    return node instanceof Tasked t && !(node instanceof Ended) && !t.duty().isOf(task.rollout())
        ? Optional.of(new Busy(t.duty().task().rollout()))
        : Optional.empty();
  }

  /// Another rollout orders the node, so the rollout that the node is busy with has ended or never
  /// owned it: a driver may wake up long after the end and order its next node to prepare, and no
  /// driver would revoke that order. An unconfirmed release that runs has a deadline. A staged one
  /// has none and is discarded.
  private static Node left(Node node, DesiredState desired, long now) {
    if (!(node instanceof Tasked tasked)
        || !(node instanceof Preparing || node instanceof Staged)) {
      return node;
    }
    Node dropped = NodeTransitions.dropped(tasked.duty(), RollbackReason.ORDERED, List.of());
    return dropped instanceof Ended ? obeyed(dropped, desired, now) : dropped;
  }

  /// The node's state in a rollout that it knows; for a finished rollout, its final state.
  static Optional<Tasked> known(Node node, RolloutId rollout) {
    if (node instanceof Tasked tasked && tasked.duty().isOf(rollout)) {
      return Optional.of(tasked);
    }
    return node.ground().chapter(rollout).map(chapter -> reopened(shelved(node), chapter));
  }

  /// The baseline with the ended task moved into its history.
  private static NodeBaseline shelved(Node node) {
    return node instanceof Ended ended
        ? ended.ground().with(NodeTransitions.closed(ended))
        : node.ground();
  }

  /// A release that was confirmed and no longer is has effectively been reverted by a later
  /// rollout.
  private static Ended reopened(NodeBaseline ground, TaskHistoryEntry was) {
    NodeTask duty = new NodeTask(ground, was.task(), was.before(), was.lead(), was.course());
    return switch (was.phase()) {
      case CONFIRMED ->
          ground.confirmed().equals(was.task().release())
              ? new Confirmed(duty)
              : new Reverted(duty);
      case REVERTED -> new Reverted(duty);
      case ROLLED_BACK -> new RolledBack(duty, was.setback(), List.of());
      case PREPARING, STAGED, APPLYING, SOAKING, SOAKED, ROLLING_BACK ->
          throw new IllegalStateException("a finished task cannot be in phase " + was.phase());
    };
  }

  /// A confirm for an unknown task is no reason to install the release. An abort must be
  /// acknowledged all the same, and the rollout remembered as turned back (I3).
  private static Node first(Node node, DesiredState desired) {
    NodeTask duty = NodeTask.begun(shelved(node), desired);
    return switch (desired.goal()) {
      case STAGED, APPLIED -> new Preparing(duty);
      case CONFIRMED -> node;
      case ROLLED_BACK, REVERTED -> new RolledBack(duty, RollbackReason.ORDERED, List.of());
    };
  }

  /// An order to go back applies to all attempts of a rollout, a forward order only to the attempt
  /// it names.
  private static Node again(Tasked node, DesiredState desired, long now) {
    int ahead = Integer.compare(desired.task().attempt(), node.duty().task().attempt());
    if (!desired.goal().isForward()) {
      NodeTask counted = node.duty().counted(desired.task().attempt());
      return moved(node.with(counted), desired.goal(), now);
    }
    if (ahead == 0 && desired.task().equals(node.duty().task())) {
      return moved(node, desired.goal(), now);
    }
    return ahead > 0 ? retried(node, desired) : node;
  }

  /// A later attempt begins only if this one runs nothing unconfirmed; otherwise the deadline ends
  /// this one first (I2). A confirmed release counts for every attempt.
  private static Node retried(Tasked node, DesiredState desired) {
    boolean same = desired.task().release().equals(node.duty().task().release());
    if (node.duty().isTurned() || !same || desired.goal() == Goal.CONFIRMED) {
      return node;
    }
    return switch (node) {
      case Preparing _, Staged _, RolledBack _ ->
          new Preparing(node.duty().retried(desired.task()));
      case Confirmed c -> c.with(c.duty().counted(desired.task().attempt()));
      case Applying _, Soaking _, Soaked _, RollingBack _, Reverted _ -> node;
    };
  }

  private static Node moved(Tasked node, Goal goal, long now) {
    NodeTask duty = node.duty();
    return switch (goal) {
      case STAGED -> node;
      case APPLIED ->
          node instanceof Staged
              ? new Applying(duty, Check.OPEN, now + ElapsedTime.nanos(duty.task().confirmWithin()))
              : node;
      case CONFIRMED ->
          node instanceof Soaked soaked && soaked.vitals().isReady()
              ? NodeTransitions.confirmed(duty)
              : node;
      case ROLLED_BACK -> back(node);
      case REVERTED ->
          node instanceof Confirmed && duty.canRevert()
              ? new RollingBack(duty, Undo.REVERT, RollbackReason.ORDERED, List.of())
              : back(node);
    };
  }

  /// R8: a staged release is discarded, a running one is swapped back, a confirmed one stays.
  private static Node back(Tasked node) {
    return switch (node) {
      case Preparing _, Staged _ ->
          NodeTransitions.dropped(node.duty(), RollbackReason.ORDERED, List.of());
      case Applying _, Soaking _, Soaked _ ->
          NodeTransitions.swappedBack(node.duty(), RollbackReason.ORDERED);
      case RollingBack _, Ended _ -> node;
    };
  }
}
