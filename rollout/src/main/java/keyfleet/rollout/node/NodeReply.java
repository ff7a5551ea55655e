package keyfleet.rollout.node;

import java.time.Duration;
import java.util.List;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.RolloutId;

/// How a node replies to an order (R6). None of these is a failure of the node, so a driver may
/// repeat any order.
public sealed interface NodeReply {
  /// The node has reached the goal or is past it.
  record Ok(NodePhase phase) implements NodeReply {}

  /// The node is on its way to the goal.
  record InProgress(NodePhase phase) implements NodeReply {}

  /// The previous step must end first; `remaining` is how much of the soak is left.
  record NotYet(Duration remaining) implements NodeReply {}

  record StaleEpoch(DriverClaim highest) implements NodeReply {}

  record StaleAttempt(int current) implements NodeReply {}

  record Busy(RolloutId rollout) implements NodeReply {}

  record Refused(List<String> reasons) implements NodeReply {
    public Refused {
      reasons = List.copyOf(reasons);
    }
  }

  /// This attempt has ended, with this result.
  record Terminal(NodePhase phase, RollbackReason rollbackReason) implements NodeReply {}
}
