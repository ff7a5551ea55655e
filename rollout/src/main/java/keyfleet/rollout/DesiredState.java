package keyfleet.rollout;

/// What a driver wants of one node: the value of the node's `desired` key (R12). `decision` is the
/// revision of the rollout's control record that committed it (R11).
public record DesiredState(Task task, Goal goal, DriverClaim claim, long decision) {
  /// Whether this value may replace `present`: never one of a higher claim, nor a later decision
  /// under the same claim.
  public boolean canReplace(DesiredState present) {
    boolean sameRollout = task.rollout().equals(present.task.rollout());
    return !sameRollout
        || (present.claim.canYieldTo(claim)
            && (!present.claim.equals(claim) || decision >= present.decision));
  }
}
