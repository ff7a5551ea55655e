package keyfleet.rollout.controller;

import java.util.List;
import java.util.Set;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.plan.NodeStatus;

/// What happens to a rollout: a driver's claim, an observation, a tick, or an operator's order.
public sealed interface RolloutEvent {
  /// A driver has won an epoch.
  record Claimed(DriverClaim claim) implements RolloutEvent {}

  /// The nodes that are present and what they report; a report may come any number of times.
  /// `candidates` are the statuses of at least [RolloutRun#startCandidates], the nodes that may
  /// start.
  record Observed(Set<NodeId> present, List<NodeReport> reports, List<NodeStatus> candidates)
      implements RolloutEvent {
    public Observed {
      present = Set.copyOf(present);
      reports = List.copyOf(reports);
      candidates = List.copyOf(candidates);
    }
  }

  /// Time has passed. The last observation still applies if it is not too old.
  record Ticked() implements RolloutEvent {}

  /// The node belongs to another rollout (R4).
  record NodeOccupied(NodeId node) implements RolloutEvent {}

  /// The store shows an older rollout than before, or an older one than the nodes have obeyed
  /// (R24).
  record DecisionsLost() implements RolloutEvent {}

  record PauseRequested() implements RolloutEvent {}

  record ResumeRequested() implements RolloutEvent {}

  /// The claim is made for this order, so that no command under an older claim is obeyed (R18).
  record AbortRequested(DriverClaim claim) implements RolloutEvent {}

  /// Like an abort, but confirmed nodes go back too.
  record RollbackRequested(DriverClaim claim) implements RolloutEvent {}

  /// The node is dead; the rollout no longer waits for it.
  record ForgetRequested(NodeId node) implements RolloutEvent {}
}
