package keyfleet.rollout;

import java.util.List;
import java.util.Optional;
import keyfleet.rollout.Node.Applying;
import keyfleet.rollout.Node.Check;
import keyfleet.rollout.Node.Confirmed;
import keyfleet.rollout.Node.Ended;
import keyfleet.rollout.Node.Preparing;
import keyfleet.rollout.Node.Reverted;
import keyfleet.rollout.Node.RolledBack;
import keyfleet.rollout.Node.RollingBack;
import keyfleet.rollout.Node.Soaked;
import keyfleet.rollout.Node.Soaking;
import keyfleet.rollout.Node.Staged;
import keyfleet.rollout.Node.Tasked;
import keyfleet.rollout.Node.Undo;
import keyfleet.rollout.NodeReply.Busy;
import keyfleet.rollout.NodeReply.Refused;
import keyfleet.rollout.NodeReply.StaleEpoch;

/// The transitions of a node that an order causes.
final class NodeOrders {
  private NodeOrders() {}

  static Node obeyed(Node node, Desired desired, long now) {
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
  static Optional<NodeReply> fenced(Node node, Desired desired) {
    Task task = desired.task();
    if (!task.component().equals(node.ground().component())) {
      return Optional.of(
          new Refused(List.of("the order is not for component " + node.ground().component())));
    }
    Lead highest = known(node, task.rollout()).map(it -> it.duty().lead()).orElse(Lead.NOBODY);
    if (desired.lead().equals(Lead.NOBODY) || !highest.yieldsTo(desired.lead())) {
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
  private static Node left(Node node, Desired desired, long now) {
    if (!(node instanceof Tasked tasked)
        || !(node instanceof Preparing || node instanceof Staged)) {
      return node;
    }
    Node dropped = NodeSteps.dropped(tasked.duty(), Setback.ORDERED, List.of());
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
  private static Ground shelved(Node node) {
    return node instanceof Ended ended
        ? ended.ground().with(NodeSteps.closed(ended))
        : node.ground();
  }

  /// A release that was confirmed and no longer is has effectively been reverted by a later
  /// rollout.
  private static Ended reopened(Ground ground, Chapter was) {
    Duty duty = new Duty(ground, was.task(), was.before(), was.lead(), was.course());
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
  private static Node first(Node node, Desired desired) {
    Duty duty = Duty.begun(shelved(node), desired);
    return switch (desired.goal()) {
      case STAGED, APPLIED -> new Preparing(duty);
      case CONFIRMED -> node;
      case ROLLED_BACK, REVERTED -> new RolledBack(duty, Setback.ORDERED, List.of());
    };
  }

  /// An order to go back applies to all attempts of a rollout, a forward order only to the attempt
  /// it names.
  private static Node again(Tasked node, Desired desired, long now) {
    int ahead = Integer.compare(desired.task().attempt(), node.duty().task().attempt());
    if (!desired.goal().isForward()) {
      Duty counted = node.duty().counted(desired.task().attempt());
      return moved(node.with(counted), desired.goal(), now);
    }
    if (ahead == 0 && desired.task().equals(node.duty().task())) {
      return moved(node, desired.goal(), now);
    }
    return ahead > 0 ? retried(node, desired) : node;
  }

  /// A later attempt begins only if this one runs nothing unconfirmed; otherwise the deadline ends
  /// this one first (I2). A confirmed release counts for every attempt.
  private static Node retried(Tasked node, Desired desired) {
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
    Duty duty = node.duty();
    return switch (goal) {
      case STAGED -> node;
      case APPLIED ->
          node instanceof Staged
              ? new Applying(duty, Check.OPEN, now + Elapsed.nanos(duty.task().confirmWithin()))
              : node;
      case CONFIRMED ->
          node instanceof Soaked soaked && soaked.vitals().isReady()
              ? NodeSteps.confirmed(duty)
              : node;
      case ROLLED_BACK -> back(node);
      case REVERTED ->
          node instanceof Confirmed && duty.canRevert()
              ? new RollingBack(duty, Undo.REVERT, Setback.ORDERED, List.of())
              : back(node);
    };
  }

  /// R8: a staged release is discarded, a running one is swapped back, a confirmed one stays.
  private static Node back(Tasked node) {
    return switch (node) {
      case Preparing _, Staged _ -> NodeSteps.dropped(node.duty(), Setback.ORDERED, List.of());
      case Applying _, Soaking _, Soaked _ -> NodeSteps.swappedBack(node.duty(), Setback.ORDERED);
      case RollingBack _, Ended _ -> node;
    };
  }
}
