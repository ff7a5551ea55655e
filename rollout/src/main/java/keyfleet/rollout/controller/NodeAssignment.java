package keyfleet.rollout.controller;

import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.Task;

/// The task of one node and the goal it should reach.
public record NodeAssignment(Task task, Goal goal) {
  public DesiredState toDesiredState(DriverClaim claim, long decision) {
    return new DesiredState(task, goal, claim, decision);
  }
}
