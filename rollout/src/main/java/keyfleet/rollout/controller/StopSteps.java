package keyfleet.rollout.controller;

import java.util.List;
import java.util.Map.Entry;
import java.util.Optional;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;

/// The steps of a rollout that stops. It is over when each node that was ordered to run the release
/// has obeyed a claim with the stop's own epoch and has reached a final phase.
final class StopSteps {
  private final RolloutDraft draft;
  private final RolloutSpec spec;
  private final StopOrder stopOrder;

  StopSteps(RolloutDraft draft, StopOrder stopOrder) {
    this.draft = draft;
    this.spec = draft.spec();
    this.stopOrder = stopOrder;
  }

  /// Forward decisions become orders to roll back, even if all nodes are to be reverted: a node
  /// that turns out to be confirmed is reverted later. A node that was only preparing can no longer
  /// apply, because no driver can commit that step: it gets the order, but the rollout does not
  /// wait for it.
  void recallNodes() {
    for (Entry<NodeId, NodeEntry> it : draft.entries()) {
      switch (it.getValue().progress()) {
        case PREPARING -> draft.move(it.getKey(), NodeProgress.RECALLED);
        case APPLYING, CONFIRMING -> draft.move(it.getKey(), NodeProgress.RECALLING);
        // Given up while silent: it may have received its confirm all the same.
        case LOST ->
            draft.move(it.getKey(), isRevert() ? NodeProgress.REVERTING : NodeProgress.LOST);
        default -> {}
      }
    }
  }

  void takeSteps() {
    draft.entries().forEach(it -> finalReport(it.getKey()).ifPresent(r -> applyReport(it, r)));
    if (isRevert()) {
      do {
        revertNextNodes();
      } while (undoBatchIfReverted());
    }
  }

  /// Seeing the epoch of the stop is not enough: the node may still be rolling back.
  private Optional<NodeReport> finalReport(NodeId node) {
    return draft
        .report(node)
        .filter(it -> it.claim().epoch() >= stopOrder.fence() && it.phase().isTerminal());
  }

  private void applyReport(Entry<NodeId, NodeEntry> it, NodeReport report) {
    NodeId node = it.getKey();
    boolean confirmed = report.phase() == NodePhase.CONFIRMED;
    switch (it.getValue().progress()) {
      case RECALLING ->
          draft.move(node, confirmed ? NodeProgress.CONFIRMED : NodeProgress.RECALLED);
      case FAILING -> draft.move(node, confirmed ? NodeProgress.CONFIRMED : NodeProgress.FAILED);
      case REVERTING ->
          draft.move(node, confirmed ? progressIfConfirmed(report) : NodeProgress.REVERTED);
      default -> {}
    }
  }

  /// The node has not seen the order yet, or it reports that it cannot revert (R8).
  private static NodeProgress progressIfConfirmed(NodeReport report) {
    return report.rollbackReason() == RollbackReason.INFRASTRUCTURE
        ? NodeProgress.KEPT
        : NodeProgress.REVERTING;
  }

  private boolean isRevert() {
    return stopOrder.goal() == Goal.REVERTED;
  }

  /// There is no canary and no soak, but never more nodes at once than went forward at once.
  private void revertNextNodes() {
    long budget = spec.limits().maxUnconfirmed() - draft.count(NodeProgress.REVERTING);
    List<NodeId> candidates =
        draft.entries().stream()
            .filter(it -> it.getValue().progress() == NodeProgress.CONFIRMED)
            .map(Entry::getKey)
            .toList();
    if (candidates.isEmpty() && draft.keptBatches() > 0) {
      candidates =
          spec.batch(draft.keptBatches() - 1).stream()
              .filter(it -> draft.entry(it).isEmpty())
              .toList();
    }
    candidates.stream()
        .limit(Math.max(0, budget))
        .forEach(node -> draft.move(node, NodeProgress.REVERTING));
  }

  private boolean undoBatchIfReverted() {
    boolean isReverted =
        draft.keptBatches() > 0
            && spec.batch(draft.keptBatches() - 1).stream().allMatch(this::isRevertDone);
    if (isReverted) {
      draft.undoBatch();
    }
    return isReverted;
  }

  private boolean isRevertDone(NodeId node) {
    return draft
        .entry(node)
        .map(NodeEntry::progress)
        .filter(it -> it != NodeProgress.CONFIRMED && it != NodeProgress.REVERTING)
        .isPresent();
  }

  boolean isOver() {
    boolean awaited = draft.count(it -> it.getValue().progress().isAwaited()) > 0;
    boolean reverted = draft.keptBatches() == 0 && draft.count(NodeProgress.CONFIRMED) == 0;
    return !awaited && (!isRevert() || reverted);
  }
}
