package keyfleet.rollout;

/// A node's current or last task: its baseline, the release that ran confirmed when the task began,
/// the highest claim seen in the rollout (R2), and whether any driver has ordered it to go back.
public record Duty(Ground ground, Task task, Sha256 before, Lead lead, Course course) {
  /// A task that was turned back never turns forward again: an aborted rollout moves no node
  /// forward (I3).
  public enum Course {
    FORWARD,
    TURNED
  }

  static Duty begun(Ground ground, Desired desired) {
    return new Duty(
        ground, desired.task(), ground.confirmed(), desired.lead(), course(desired.goal()));
  }

  /// The same task after an order under a claim that the node may obey.
  Duty heard(Desired desired) {
    boolean turns = isTurned() || course(desired.goal()) == Course.TURNED;
    return new Duty(ground, task, before, desired.lead(), turns ? Course.TURNED : Course.FORWARD);
  }

  /// The same task with a later attempt number.
  Duty counted(int attempt) {
    Task later =
        new Task(
            task.rollout(),
            Math.max(attempt, task.attempt()),
            task.component(),
            task.release(),
            task.soak(),
            task.confirmWithin(),
            task.healthWait());
    return new Duty(ground, later, before, lead, course);
  }

  Duty retried(Task attempt) {
    return new Duty(ground, attempt, ground.confirmed(), lead, course);
  }

  Duty on(Ground changed) {
    return new Duty(changed, task, before, lead, course);
  }

  boolean isTurned() {
    return course == Course.TURNED;
  }

  /// Whether the release still runs confirmed and the release before it is still kept (R8).
  boolean canRevert() {
    return ground.confirmed().equals(task.release()) && ground.previous().equals(before);
  }

  boolean isOf(RolloutId rollout) {
    return task.rollout().equals(rollout);
  }

  private static Course course(Goal goal) {
    return goal.isForward() ? Course.FORWARD : Course.TURNED;
  }
}
