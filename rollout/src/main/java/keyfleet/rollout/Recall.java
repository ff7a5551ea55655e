package keyfleet.rollout;

/// How a rollout stops. `goal` is ROLLED_BACK, or REVERTED if confirmed nodes go back too. No order
/// to stop is given below the epoch `fence`, so that a node that has obeyed a lead of that epoch or
/// a higher one has seen the order (R18).
public record Recall(Goal goal, long fence, Cause cause) {
  public Recall {
    if (goal != Goal.ROLLED_BACK && goal != Goal.REVERTED) {
      throw new IllegalArgumentException("nobody stops by " + goal);
    }
  }
}
