package keyfleet.rollout;

/// The task of one node and the goal it should reach.
public record Assignment(Task task, Goal goal) {
  public Desired under(Lead lead, long decision) {
    return new Desired(task, goal, lead, decision);
  }
}
