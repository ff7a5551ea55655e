package keyfleet.rollout.node;

import java.time.Duration;
import java.util.List;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.Task;
import keyfleet.rollout.node.Node.Applying;
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
import keyfleet.rollout.node.NodeReply.InProgress;
import keyfleet.rollout.node.NodeReply.NotYet;
import keyfleet.rollout.node.NodeReply.Ok;
import keyfleet.rollout.node.NodeReply.Refused;
import keyfleet.rollout.node.NodeReply.StaleAttempt;
import keyfleet.rollout.node.NodeReply.Terminal;

/// How a node replies to an order. [NodeOrderTransitions] decides what the order changes.
final class NodeReplyRules {
  private NodeReplyRules() {}

  static NodeReply reply(Node node, DesiredState order) {
    return NodeOrderTransitions.objection(node, order)
        .or(() ->
            NodeOrderTransitions.stateIn(node, order.task().rollout())
                .map(it -> replyToKnownRollout(it, order)))
        .orElseGet(() -> replyToUnknownRollout(order));
  }

  private static NodeReply replyToUnknownRollout(DesiredState order) {
    return switch (order.goal()) {
      case STAGED, APPLIED -> new InProgress(NodePhase.PREPARING);
      case CONFIRMED -> new NotYet(order.task().soak());
      case ROLLED_BACK, REVERTED -> new Ok(NodePhase.ROLLED_BACK);
    };
  }

  private static NodeReply replyToKnownRollout(Tasked node, DesiredState order) {
    Task task = node.nodeTask().task();
    int attemptDifference = Integer.compare(order.task().attempt(), task.attempt());
    if (!order.goal().isForward() || order.task().equals(task)) {
      return replyToGoal(node, order.goal());
    }
    if (attemptDifference < 0) {
      return new StaleAttempt(task.attempt());
    }
    boolean same = order.task().release().equals(task.release());
    if (attemptDifference == 0 || !same) {
      return new Refused(List.of("rollout " + task.rollout() + " has another task on this node"));
    }
    return node.nodeTask().isTurnedBack()
        ? new Refused(List.of("rollout " + task.rollout() + " was ordered to go back"))
        : replyToLaterAttempt(node, order.goal());
  }

  private static NodeReply replyToLaterAttempt(Tasked node, Goal goal) {
    return switch (node) {
      case Confirmed _ -> new Ok(NodePhase.CONFIRMED);
      case Reverted r -> new Terminal(r.phase(), r.rollbackReason());
      case Applying _, Soaking _, Soaked _, RollingBack _ -> new InProgress(Node.phase(node));
      case Preparing _, Staged _, RolledBack _ ->
          goal == Goal.CONFIRMED
              ? new NotYet(node.nodeTask().task().soak())
              : new InProgress(NodePhase.PREPARING);
    };
  }

  private static NodeReply replyToGoal(Tasked node, Goal goal) {
    return switch (goal) {
      case STAGED ->
          node instanceof Preparing ? new InProgress(NodePhase.PREPARING) : replyAtOrPastGoal(node);
      case APPLIED ->
          switch (node) {
            case Preparing _ -> new NotYet(node.nodeTask().task().soak());
            case Staged _, Applying _ -> new InProgress(NodePhase.APPLYING);
            case Soaking _, Soaked _, RollingBack _, Ended _ -> replyAtOrPastGoal(node);
          };
      case CONFIRMED -> replyToConfirm(node);
      case ROLLED_BACK, REVERTED -> replyToRollback(node, goal);
    };
  }

  private static NodeReply replyToConfirm(Tasked node) {
    return switch (node) {
      case Preparing _, Staged _, Applying _ -> new NotYet(node.nodeTask().task().soak());
      case Soaking s -> new NotYet(s.soakHealth().remainingSoak(s.nodeTask().task().soak()));
      case Soaked s ->
          s.soakHealth().isReady() ? new Ok(NodePhase.CONFIRMED) : new NotYet(Duration.ZERO);
      case RollingBack _, Ended _ -> replyAtOrPastGoal(node);
    };
  }

  /// At or past the goal, or no longer on the way to it.
  private static NodeReply replyAtOrPastGoal(Tasked node) {
    return switch (node) {
      case RollingBack _ -> new InProgress(NodePhase.ROLLING_BACK);
      case RolledBack r when r.rollbackReason() == RollbackReason.REFUSED ->
          new Refused(r.reasons());
      case RolledBack r -> new Terminal(r.phase(), r.rollbackReason());
      case Reverted r -> new Terminal(r.phase(), r.rollbackReason());
      case Preparing _, Staged _, Applying _, Soaking _, Soaked _, Confirmed _ ->
          new Ok(Node.phase(node));
    };
  }

  private static NodeReply replyToRollback(Tasked node, Goal goal) {
    return switch (node) {
      case Confirmed c when goal == Goal.ROLLED_BACK -> new Terminal(c.phase(), c.rollbackReason());
      case Confirmed c ->
          c.nodeTask().canRevert()
              ? new InProgress(NodePhase.ROLLING_BACK)
              : new Refused(List.of("the previous release is no longer kept"));
      case RolledBack _, Reverted _ -> new Ok(Node.phase(node));
      case Preparing _, Staged _, Applying _, Soaking _, Soaked _, RollingBack _ ->
          new InProgress(NodePhase.ROLLING_BACK);
    };
  }
}
