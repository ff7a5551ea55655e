package keyfleet.rollout;

import keyfleet.rollout.Duty.Course;

/// A rollout that a node has finished. It keeps a finished step from running twice (I2) and a
/// superseded driver of that rollout from being obeyed (R2). `before` is the release that ran
/// confirmed when the task began.
public record Chapter(
    Task task, Sha256 before, Lead lead, Course course, Phase phase, Setback setback) {
  public Chapter {
    if (!phase.isTerminal()) {
      throw new IllegalArgumentException("a task in phase " + phase + " has not finished");
    }
  }
}
