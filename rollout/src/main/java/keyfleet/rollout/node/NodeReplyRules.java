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

/// How a node replies to an order that [NodeOrderTransitions] carries out.
final class NodeReplyRules {
  private NodeReplyRules() {}

  static NodeReply answer(Node node, DesiredState desired) {
    return NodeOrderTransitions.fenced(node, desired)
        .or(() ->
            NodeOrderTransitions.known(node, desired.task().rollout()).map(it -> said(it, desired)))
        .orElseGet(() -> unheard(desired));
  }

  private static NodeReply unheard(DesiredState desired) {
    return switch (desired.goal()) {
      case STAGED, APPLIED -> new InProgress(NodePhase.PREPARING);
      case CONFIRMED -> new NotYet(desired.task().soak());
      case ROLLED_BACK, REVERTED -> new Ok(NodePhase.ROLLED_BACK);
    };
  }

  private static NodeReply said(Tasked node, DesiredState desired) {
    Task task = node.duty().task();
    int ahead = Integer.compare(desired.task().attempt(), task.attempt());
    if (!desired.goal().isForward() || desired.task().equals(task)) {
      return reached(node, desired.goal());
    }
    if (ahead < 0) {
      return new StaleAttempt(task.attempt());
    }
    boolean same = desired.task().release().equals(task.release());
    if (ahead == 0 || !same) {
      return new Refused(List.of("rollout " + task.rollout() + " has another task on this node"));
    }
    return node.duty().isTurned()
        ? new Refused(List.of("rollout " + task.rollout() + " was ordered to go back"))
        : retried(node, desired.goal());
  }

  private static NodeReply retried(Tasked node, Goal goal) {
    return switch (node) {
      case Confirmed _ -> new Ok(NodePhase.CONFIRMED);
      case Reverted r -> new Terminal(r.phase(), r.setback());
      case Applying _, Soaking _, Soaked _, RollingBack _ -> new InProgress(Node.phase(node));
      case Preparing _, Staged _, RolledBack _ ->
          goal == Goal.CONFIRMED
              ? new NotYet(node.duty().task().soak())
              : new InProgress(NodePhase.PREPARING);
    };
  }

  private static NodeReply reached(Tasked node, Goal goal) {
    return switch (goal) {
      case STAGED -> node instanceof Preparing ? new InProgress(NodePhase.PREPARING) : beyond(node);
      case APPLIED ->
          switch (node) {
            case Preparing _ -> new NotYet(node.duty().task().soak());
            case Staged _, Applying _ -> new InProgress(NodePhase.APPLYING);
            case Soaking _, Soaked _, RollingBack _, Ended _ -> beyond(node);
          };
      case CONFIRMED -> confirming(node);
      case ROLLED_BACK, REVERTED -> back(node, goal);
    };
  }

  private static NodeReply confirming(Tasked node) {
    return switch (node) {
      case Preparing _, Staged _, Applying _ -> new NotYet(node.duty().task().soak());
      case Soaking s -> new NotYet(s.vitals().remaining(s.duty().task().soak()));
      case Soaked s ->
          s.vitals().isReady() ? new Ok(NodePhase.CONFIRMED) : new NotYet(Duration.ZERO);
      case RollingBack _, Ended _ -> beyond(node);
    };
  }

  /// At or past the goal, or no longer on the way to it.
  private static NodeReply beyond(Tasked node) {
    return switch (node) {
      case RollingBack _ -> new InProgress(NodePhase.ROLLING_BACK);
      case RolledBack r when r.setback() == RollbackReason.REFUSED -> new Refused(r.reasons());
      case RolledBack r -> new Terminal(r.phase(), r.setback());
      case Reverted r -> new Terminal(r.phase(), r.setback());
      case Preparing _, Staged _, Applying _, Soaking _, Soaked _, Confirmed _ ->
          new Ok(Node.phase(node));
    };
  }

  private static NodeReply back(Tasked node, Goal goal) {
    return switch (node) {
      case Confirmed c when goal == Goal.ROLLED_BACK -> new Terminal(c.phase(), c.setback());
      case Confirmed c ->
          c.duty().canRevert()
              ? new InProgress(NodePhase.ROLLING_BACK)
              : new Refused(List.of("the previous release is no longer kept"));
      case RolledBack _, Reverted _ -> new Ok(Node.phase(node));
      case Preparing _, Staged _, Applying _, Soaking _, Soaked _, RollingBack _ ->
          new InProgress(NodePhase.ROLLING_BACK);
    };
  }
}
