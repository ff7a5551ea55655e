package keyfleet.rollout.node;

import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Task;

/// A node's current or last task: its baseline, the release that ran confirmed when the task began,
/// the highest claim seen in the rollout (R2), and whether any driver has ordered it to go back.
public record NodeTask(
    NodeBaseline baseline,
    Task task,
    Sha256 releaseBefore,
    DriverClaim claim,
    Direction direction) {
  /// A task that was turned back never turns forward again: an aborted rollout moves no node
  /// forward (I3).
  public enum Direction {
    FORWARD,
    TURNED
  }

  static NodeTask start(NodeBaseline baseline, DesiredState order) {
    return new NodeTask(
        baseline, order.task(), baseline.confirmed(), order.claim(), directionOf(order.goal()));
  }

  /// The same task after an order under a claim that the node may obey.
  NodeTask afterOrder(DesiredState order) {
    boolean turns = isTurnedBack() || directionOf(order.goal()) == Direction.TURNED;
    return new NodeTask(
        baseline, task, releaseBefore, order.claim(), turns ? Direction.TURNED : Direction.FORWARD);
  }

  /// The same task with a later attempt number.
  NodeTask withAttempt(int attempt) {
    Task later =
        new Task(
            task.rollout(),
            Math.max(attempt, task.attempt()),
            task.component(),
            task.release(),
            task.soak(),
            task.confirmWithin(),
            task.healthWait());
    return new NodeTask(baseline, later, releaseBefore, claim, direction);
  }

  NodeTask withNewAttempt(Task attempt) {
    return new NodeTask(baseline, attempt, baseline.confirmed(), claim, direction);
  }

  NodeTask withBaseline(NodeBaseline changed) {
    return new NodeTask(changed, task, releaseBefore, claim, direction);
  }

  boolean isTurnedBack() {
    return direction == Direction.TURNED;
  }

  /// Whether the release still runs confirmed and the release before it is still kept (R8).
  boolean canRevert() {
    return baseline.confirmed().equals(task.release()) && baseline.previous().equals(releaseBefore);
  }

  boolean isFor(RolloutId rollout) {
    return task.rollout().equals(rollout);
  }

  private static Direction directionOf(Goal goal) {
    return goal.isForward() ? Direction.FORWARD : Direction.TURNED;
  }
}
