package keyfleet.rollout;

/// What a driver wants of one node: the value of the node's `desired` key (R12). `decision` is the
/// revision of the rollout's control record that committed it (R11).
public record DesiredState(Task task, Goal goal, DriverClaim lead, long decision) {
  /// Whether this value may replace `present`: never one of a higher claim, nor a later decision
  /// under the same claim.
  public boolean mayReplace(DesiredState present) {
    boolean sameRollout = task.rollout().equals(present.task.rollout());
    return !sameRollout
        || (present.lead.yieldsTo(lead)
            && (!present.lead.equals(lead) || decision >= present.decision));
  }
}
