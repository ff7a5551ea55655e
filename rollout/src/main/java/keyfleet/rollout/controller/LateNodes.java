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
  private final RolloutDraft muster;
  private final RolloutSpec spec;

  LateNodes(RolloutDraft muster) {
    this.muster = muster;
    this.spec = muster.spec();
  }

  /// Adds a node to the ledger when it is first seen, so that it is in exactly one set from then on
  /// (I10).
  void enlist() {
    List<NodeStatus> unknown =
        muster.candidates().stream().filter(it -> muster.place(it.node()).isEmpty()).toList();
    if (unknown.isEmpty()) {
      return;
    }
    Set<NodeId> decided = spec.decided();
    Set<NodeId> offline = new HashSet<>(spec.plan().offline());
    for (NodeStatus status : unknown) {
      NodeId node = status.node();
      if (offline.contains(node) || (!decided.contains(node) && isTaken(status))) {
        muster.move(node, NodeProgress.PENDING_OFFLINE);
      }
    }
  }

  /// A rollout accepts new nodes until the lane wait after its last batch has passed. Otherwise
  /// nodes enrolled one after the other would keep it open for ever.
  private boolean isTaken(NodeStatus status) {
    boolean valid =
        muster.passed() < spec.batches() || !muster.isBatchOlderThan(spec.times().laneWait());
    return valid && spec.admission().match(status) != TargetMatch.NO;
  }

  void start(NodeStarter turn) {
    if (muster.passed() > 0) {
      muster.candidates().forEach(it -> turn.take(it.node(), NodeProgress.PENDING_OFFLINE));
    }
  }

  /// The late nodes that have not started.
  List<NodeId> pending() {
    Stream<NodeId> unseen = spec.plan().offline().stream().filter(it -> muster.place(it).isEmpty());
    Stream<NodeId> seen =
        muster.listed().stream()
            .filter(it -> it.getValue().standing() == NodeProgress.PENDING_OFFLINE)
            .map(Entry::getKey);
    return Stream.concat(unseen, seen).toList();
  }
}
