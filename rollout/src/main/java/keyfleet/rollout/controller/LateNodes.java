package keyfleet.rollout.controller;

import java.util.HashSet;
import java.util.List;
import java.util.Map.Entry;
import java.util.Set;
import java.util.stream.Stream;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.plan.NodeStatus;
import keyfleet.rollout.target.TargetMatch;

/// Starts the nodes that come late (R16): nodes that were offline when the plan was made, and nodes
/// enrolled since then that match the frozen target. They start after the first batch has passed.
final class LateNodes {
  private final RolloutDraft draft;
  private final RolloutSpec spec;

  LateNodes(RolloutDraft draft) {
    this.draft = draft;
    this.spec = draft.spec();
  }

  /// Adds a node to the rollout when it is first seen, so that it is in exactly one set from then
  /// on (I10).
  void addNewNodes() {
    List<NodeStatus> unknown =
        draft.candidates().stream().filter(it -> draft.entry(it.node()).isEmpty()).toList();
    if (unknown.isEmpty()) {
      return;
    }
    Set<NodeId> decided = spec.decidedNodes();
    Set<NodeId> offline = new HashSet<>(spec.plan().offline());
    for (NodeStatus status : unknown) {
      NodeId node = status.node();
      if (offline.contains(node) || (!decided.contains(node) && isAccepted(status))) {
        draft.move(node, NodeProgress.PENDING_OFFLINE);
      }
    }
  }

  /// A rollout accepts new nodes until `lateNodeWait` after its last batch has passed. Otherwise
  /// nodes enrolled one after the other would keep it open for ever.
  private boolean isAccepted(NodeStatus status) {
    boolean valid =
        draft.passedBatches() < spec.batchCount()
            || !draft.isBatchOlderThan(spec.timings().lateNodeWait());
    return valid && spec.eligibility().match(status) != TargetMatch.NO;
  }

  void startNodes(NodeStarter starter) {
    if (draft.passedBatches() > 0) {
      draft
          .candidates()
          .forEach(it -> starter.startIfAllowed(it.node(), NodeProgress.PENDING_OFFLINE));
    }
  }

  /// The late nodes that have not started.
  List<NodeId> pendingNodes() {
    Stream<NodeId> unseen = spec.plan().offline().stream().filter(it -> draft.entry(it).isEmpty());
    Stream<NodeId> seen =
        draft.entries().stream()
            .filter(it -> it.getValue().progress() == NodeProgress.PENDING_OFFLINE)
            .map(Entry::getKey);
    return Stream.concat(unseen, seen).toList();
  }
}
