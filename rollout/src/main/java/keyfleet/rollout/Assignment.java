package keyfleet.rollout;

/// What one node is to do, and how far.
public record Assignment(Task task, Goal goal) {
  public Desired under(Lead lead, long decision) {
    return new Desired(task, goal, lead, decision);
  }
}
