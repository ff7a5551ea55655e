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
/// has obeyed a claim with the stop's own epoch and has come to rest.
final class StopSteps {
  private final RolloutDraft muster;
  private final RolloutSpec spec;
  private final StopOrder recall;

  StopSteps(RolloutDraft muster, StopOrder recall) {
    this.muster = muster;
    this.spec = muster.spec();
    this.recall = recall;
  }

  /// Forward decisions become orders to roll back, even if all nodes are to be reverted: a node
  /// that turns out to be confirmed is reverted later. A node that was only preparing can no longer
  /// apply, because no driver can commit that step: it gets the order, but the rollout does not
  /// wait for it.
  void begin() {
    for (Entry<NodeId, NodeEntry> it : muster.listed()) {
      switch (it.getValue().standing()) {
        case PREPARING -> muster.move(it.getKey(), NodeProgress.RECALLED);
        case APPLYING, CONFIRMING -> muster.move(it.getKey(), NodeProgress.RECALLING);
        // Given up while silent: it may have received its confirm all the same.
        case LOST ->
            muster.move(it.getKey(), isRevert() ? NodeProgress.REVERTING : NodeProgress.LOST);
        default -> {}
      }
    }
  }

  void proceed() {
    muster.listed().forEach(it -> answered(it.getKey()).ifPresent(r -> settle(it, r)));
    if (isRevert()) {
      do {
        revert();
      } while (undoes());
    }
  }

  /// Seeing the epoch of the stop is not enough: the node may still be rolling back.
  private Optional<NodeReport> answered(NodeId node) {
    return muster
        .report(node)
        .filter(it -> it.seen().epoch() >= recall.fence() && it.phase().isTerminal());
  }

  private void settle(Entry<NodeId, NodeEntry> it, NodeReport report) {
    NodeId node = it.getKey();
    boolean confirmed = report.phase() == NodePhase.CONFIRMED;
    switch (it.getValue().standing()) {
      case RECALLING ->
          muster.move(node, confirmed ? NodeProgress.CONFIRMED : NodeProgress.RECALLED);
      case FAILING -> muster.move(node, confirmed ? NodeProgress.CONFIRMED : NodeProgress.FAILED);
      case REVERTING -> muster.move(node, confirmed ? unreverted(report) : NodeProgress.REVERTED);
      default -> {}
    }
  }

  /// The node has not seen the order yet, or it reports that it cannot revert (R8).
  private static NodeProgress unreverted(NodeReport report) {
    return report.setback() == RollbackReason.INFRASTRUCTURE
        ? NodeProgress.KEPT
        : NodeProgress.REVERTING;
  }

  private boolean isRevert() {
    return recall.goal() == Goal.REVERTED;
  }

  /// There is no canary and no soak, but never more nodes at once than went forward at once.
  private void revert() {
    long room = spec.limits().unconfirmed() - muster.count(NodeProgress.REVERTING);
    List<NodeId> candidates =
        muster.listed().stream()
            .filter(it -> it.getValue().standing() == NodeProgress.CONFIRMED)
            .map(Entry::getKey)
            .toList();
    if (candidates.isEmpty() && muster.kept() > 0) {
      candidates =
          spec.batch(muster.kept() - 1).stream().filter(it -> muster.place(it).isEmpty()).toList();
    }
    candidates.stream()
        .limit(Math.max(0, room))
        .forEach(node -> muster.move(node, NodeProgress.REVERTING));
  }

  private boolean undoes() {
    boolean undone =
        muster.kept() > 0 && spec.batch(muster.kept() - 1).stream().allMatch(this::needsNoRevert);
    if (undone) {
      muster.undo();
    }
    return undone;
  }

  private boolean needsNoRevert(NodeId node) {
    return muster
        .place(node)
        .map(NodeEntry::standing)
        .filter(it -> it != NodeProgress.CONFIRMED && it != NodeProgress.REVERTING)
        .isPresent();
  }

  boolean isOver() {
    boolean awaited = muster.count(it -> it.getValue().standing().isAwaited()) > 0;
    boolean reverted = muster.kept() == 0 && muster.count(NodeProgress.CONFIRMED) == 0;
    return !awaited && (!isRevert() || reverted);
  }
}
