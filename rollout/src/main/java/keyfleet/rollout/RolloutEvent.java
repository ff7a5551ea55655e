package keyfleet.rollout;

import java.util.List;
import java.util.Set;

/// What happens to a rollout: a driver's claim, what it sees, or an operator's order.
public sealed interface RolloutEvent {
  /// A driver has won an epoch.
  record Claimed(Lead lead) implements RolloutEvent {}

  /// Who beats just now, and what nodes say; a report may come any number of times. `candidates`
  /// are at least [Run#candidates]: what those say of themselves who may begin.
  record Observed(Set<NodeId> present, List<NodeReport> reports, List<NodeStatus> candidates)
      implements RolloutEvent {
    public Observed {
      present = Set.copyOf(present);
      reports = List.copyOf(reports);
      candidates = List.copyOf(candidates);
    }
  }

  /// Time has passed, and what was observed last still holds, if it is not too old.
  record Ticked() implements RolloutEvent {}

  /// The node belongs to another rollout (R4).
  record Occupied(NodeId node) implements RolloutEvent {}

  /// The store shows an older rollout than before, or than its nodes have obeyed (R24).
  record WentBack() implements RolloutEvent {}

  record PauseOrdered() implements RolloutEvent {}

  record ResumeOrdered() implements RolloutEvent {}

  /// The lead is claimed for the order, so that no command of an older one is obeyed (R18).
  record AbortOrdered(Lead lead) implements RolloutEvent {}

  /// As an abort, and confirmed nodes go back too.
  record RollbackOrdered(Lead lead) implements RolloutEvent {}

  /// The node is dead; nobody waits for it.
  record ForgetOrdered(NodeId node) implements RolloutEvent {}
}
