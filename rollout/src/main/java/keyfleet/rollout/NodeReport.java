package keyfleet.rollout;

/// What a node says of a rollout's task; only the node writes it. `running` is the release that
/// runs just now, `seen` the highest lead that it has obeyed in this rollout.
public record NodeReport(
    NodeId node, Task task, Phase phase, Setback setback, Lead seen, Sha256 running) {
  /// Whether it is about this attempt of this rollout; any other report is of the past.
  public boolean isOf(RolloutId rollout, int attempt) {
    return task.rollout().equals(rollout) && task.attempt() == attempt;
  }
}
