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
    NodeBaseline ground, Task task, Sha256 before, DriverClaim lead, Direction course) {
  /// A task that was turned back never turns forward again: an aborted rollout moves no node
  /// forward (I3).
  public enum Direction {
    FORWARD,
    TURNED
  }

  static NodeTask begun(NodeBaseline ground, DesiredState desired) {
    return new NodeTask(
        ground, desired.task(), ground.confirmed(), desired.lead(), course(desired.goal()));
  }

  /// The same task after an order under a claim that the node may obey.
  NodeTask heard(DesiredState desired) {
    boolean turns = isTurned() || course(desired.goal()) == Direction.TURNED;
    return new NodeTask(
        ground, task, before, desired.lead(), turns ? Direction.TURNED : Direction.FORWARD);
  }

  /// The same task with a later attempt number.
  NodeTask counted(int attempt) {
    Task later =
        new Task(
            task.rollout(),
            Math.max(attempt, task.attempt()),
            task.component(),
            task.release(),
            task.soak(),
            task.confirmWithin(),
            task.healthWait());
    return new NodeTask(ground, later, before, lead, course);
  }

  NodeTask retried(Task attempt) {
    return new NodeTask(ground, attempt, ground.confirmed(), lead, course);
  }

  NodeTask on(NodeBaseline changed) {
    return new NodeTask(changed, task, before, lead, course);
  }

  boolean isTurned() {
    return course == Direction.TURNED;
  }

  /// Whether the release still runs confirmed and the release before it is still kept (R8).
  boolean canRevert() {
    return ground.confirmed().equals(task.release()) && ground.previous().equals(before);
  }

  boolean isOf(RolloutId rollout) {
    return task.rollout().equals(rollout);
  }

  private static Direction course(Goal goal) {
    return goal.isForward() ? Direction.FORWARD : Direction.TURNED;
  }
}
