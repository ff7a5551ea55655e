package keyfleet.rollout;

import keyfleet.rollout.Duty.Course;

/// A rollout that a node has finished with, so that nothing of it happens twice (I2) and no earlier
/// driver of it is obeyed (R2). `before` is what ran confirmed when the task began.
public record Chapter(
    Task task, Sha256 before, Lead lead, Course course, Phase phase, Setback setback) {
  public Chapter {
    if (!phase.isTerminal()) {
      throw new IllegalArgumentException("a node at " + phase + " has not finished");
    }
  }
}
