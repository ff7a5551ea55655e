package keyfleet.rollout;

import java.util.List;

/// What a node reports about a rollout's task; only the node writes it. `running` is the release
/// that runs now, `claim` is the highest claim that it has obeyed in this rollout, and `reasons`
/// say why the rules refused the release or why it could not be fetched.
public record NodeReport(
    NodeId node,
    Task task,
    NodePhase phase,
    RollbackReason rollbackReason,
    DriverClaim claim,
    Sha256 running,
    List<String> reasons) {
  public NodeReport {
    reasons = List.copyOf(reasons);
  }

  public NodeReport(
      NodeId node,
      Task task,
      NodePhase phase,
      RollbackReason rollbackReason,
      DriverClaim claim,
      Sha256 running) {
    this(node, task, phase, rollbackReason, claim, running, List.of());
  }

  /// Whether the report is about this attempt of this rollout; any other report is outdated.
  public boolean isFor(RolloutId rollout, int attempt) {
    return task.rollout().equals(rollout) && task.attempt() == attempt;
  }
}
