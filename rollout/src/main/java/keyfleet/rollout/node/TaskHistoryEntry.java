package keyfleet.rollout.node;

import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Task;
import keyfleet.rollout.node.NodeTask.Direction;

/// A rollout that a node has finished. It keeps a finished step from running twice (I2) and a
/// superseded driver of that rollout from being obeyed (R2). `releaseBefore` is the release that
/// ran confirmed when the task began.
public record TaskHistoryEntry(
    Task task,
    Sha256 releaseBefore,
    DriverClaim claim,
    Direction direction,
    NodePhase phase,
    RollbackReason rollbackReason) {
  public TaskHistoryEntry {
    if (!phase.isTerminal()) {
      throw new IllegalArgumentException("a task in phase " + phase + " has not finished");
    }
  }
}
