package keyfleet.rollout.controller;

import java.util.Optional;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.plan.ExcludedNode;
import keyfleet.rollout.plan.NodeStatus;

/// Starts nodes. Each node is checked again as in preflight: it may have been offline when the plan
/// was made, or may have changed while it was away (R16). A node without a status in the last
/// observation waits for the next one.
final class NodeStarter {
  private final RolloutDraft draft;
  private final InFlightBudget budget;

  NodeStarter(RolloutDraft draft, InFlightBudget budget) {
    this.draft = draft;
    this.budget = budget;
  }

  /// Starts the node if its progress is `from`, it is present, the rules allow it and the budget
  /// has a slot.
  void startIfAllowed(NodeId node, NodeProgress from) {
    if (draft.progressOf(node) == from && draft.isPresent(node)) {
      draft.status(node).ifPresent(this::startIfAllowed);
    }
  }

  private void startIfAllowed(NodeStatus status) {
    Optional<ExcludedNode.Reason> objection = draft.spec().eligibility().objectionAtStart(status);
    if (objection.isPresent()) {
      draft.exclude(status.node(), objection.get());
    } else if (budget.reserveStart(status.node())) {
      draft.move(status.node(), NodeProgress.PREPARING);
    }
  }
}
