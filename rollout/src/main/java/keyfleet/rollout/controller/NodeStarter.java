package keyfleet.rollout.controller;

import java.util.Optional;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.plan.ExcludedNode;
import keyfleet.rollout.plan.NodeStatus;

/// Starts nodes. Each node is checked again as in preflight: it may have been offline when the plan
/// was made, or may have changed while it was away (R16). A node without a status in the last
/// observation waits for the next one.
final class NodeStarter {
  private final RolloutDraft muster;
  private final InFlightBudget room;

  NodeStarter(RolloutDraft muster, InFlightBudget room) {
    this.muster = muster;
    this.room = room;
  }

  /// Starts the node if its progress is `from`, it is present, the rules allow it and the budget
  /// has a slot.
  void take(NodeId node, NodeProgress from) {
    if (muster.standing(node) == from && muster.isPresent(node)) {
      muster.status(node).ifPresent(this::take);
    }
  }

  private void take(NodeStatus status) {
    Optional<ExcludedNode.Reason> objection = muster.spec().admission().objectionInTurn(status);
    if (objection.isPresent()) {
      muster.exclude(status.node(), objection.get());
    } else if (room.takeStart(status.node())) {
      muster.move(status.node(), NodeProgress.PREPARING);
    }
  }
}
