package keyfleet.rollout;

import java.util.List;

/// What a node says of a rollout's task; only the node writes it. `running` is the release that
/// runs just now, `seen` the highest lead that it has obeyed in this rollout, `reasons` why the
/// rules refused the release or why it could not be had, in words.
public record NodeReport(
    NodeId node,
    Task task,
    Phase phase,
    Setback setback,
    Lead seen,
    Sha256 running,
    List<String> reasons) {
  public NodeReport {
    reasons = List.copyOf(reasons);
  }

  /// There is nothing to explain.
  public NodeReport(
      NodeId node, Task task, Phase phase, Setback setback, Lead seen, Sha256 running) {
    this(node, task, phase, setback, seen, running, List.of());
  }

  /// Whether it is about this attempt of this rollout; any other report is of the past.
  public boolean isOf(RolloutId rollout, int attempt) {
    return task.rollout().equals(rollout) && task.attempt() == attempt;
  }
}
