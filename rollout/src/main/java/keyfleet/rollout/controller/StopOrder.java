package keyfleet.rollout.controller;

import keyfleet.rollout.Goal;

/// How a rollout stops. `goal` is ROLLED_BACK, or REVERTED if confirmed nodes go back too. No stop
/// order has an epoch below `fence`, so a node that has obeyed a claim with that epoch or a higher
/// one has seen the order (R18).
public record StopOrder(Goal goal, long fence, StopCause cause) {
  public StopOrder {
    if (goal != Goal.ROLLED_BACK && goal != Goal.REVERTED) {
      throw new IllegalArgumentException("a rollout cannot stop with goal " + goal);
    }
  }
}
