package keyfleet.rollout;

import java.time.Duration;
import java.util.List;
import keyfleet.rollout.Node.Applying;
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
import keyfleet.rollout.NodeReply.InProgress;
import keyfleet.rollout.NodeReply.NotYet;
import keyfleet.rollout.NodeReply.Ok;
import keyfleet.rollout.NodeReply.Refused;
import keyfleet.rollout.NodeReply.StaleAttempt;
import keyfleet.rollout.NodeReply.Terminal;

/// How a node replies to an order that [NodeOrders] carries out.
final class NodeReplies {
  private NodeReplies() {}

  static NodeReply answer(Node node, Desired desired) {
    return NodeOrders.fenced(node, desired)
        .or(() -> NodeOrders.known(node, desired.task().rollout()).map(it -> said(it, desired)))
        .orElseGet(() -> unheard(desired));
  }

  private static NodeReply unheard(Desired desired) {
    return switch (desired.goal()) {
      case STAGED, APPLIED -> new InProgress(Phase.PREPARING);
      case CONFIRMED -> new NotYet(desired.task().soak());
      case ROLLED_BACK, REVERTED -> new Ok(Phase.ROLLED_BACK);
    };
  }

  private static NodeReply said(Tasked node, Desired desired) {
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
      case Confirmed _ -> new Ok(Phase.CONFIRMED);
      case Reverted r -> new Terminal(r.phase(), r.setback());
      case Applying _, Soaking _, Soaked _, RollingBack _ -> new InProgress(Node.phase(node));
      case Preparing _, Staged _, RolledBack _ ->
          goal == Goal.CONFIRMED
              ? new NotYet(node.duty().task().soak())
              : new InProgress(Phase.PREPARING);
    };
  }

  private static NodeReply reached(Tasked node, Goal goal) {
    return switch (goal) {
      case STAGED -> node instanceof Preparing ? new InProgress(Phase.PREPARING) : beyond(node);
      case APPLIED ->
          switch (node) {
            case Preparing _ -> new NotYet(node.duty().task().soak());
            case Staged _, Applying _ -> new InProgress(Phase.APPLYING);
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
      case Soaked s -> s.vitals().isReady() ? new Ok(Phase.CONFIRMED) : new NotYet(Duration.ZERO);
      case RollingBack _, Ended _ -> beyond(node);
    };
  }

  /// At or past the goal, or no longer on the way to it.
  private static NodeReply beyond(Tasked node) {
    return switch (node) {
      case RollingBack _ -> new InProgress(Phase.ROLLING_BACK);
      case RolledBack r when r.setback() == Setback.REFUSED -> new Refused(r.reasons());
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
              ? new InProgress(Phase.ROLLING_BACK)
              : new Refused(List.of("the previous release is no longer kept"));
      case RolledBack _, Reverted _ -> new Ok(Node.phase(node));
      case Preparing _, Staged _, Applying _, Soaking _, Soaked _, RollingBack _ ->
          new InProgress(Phase.ROLLING_BACK);
    };
  }
}
