package keyfleet.rollout;

import java.util.HashSet;
import java.util.List;
import java.util.Map.Entry;
import java.util.Set;
import java.util.stream.Stream;

/// The nodes that come late (R16): those that were offline when the plan was made, and those that
/// were enrolled since and that the frozen target takes. They come after the first batch.
final class Lane {
  private final Muster muster;
  private final RolloutSpec spec;

  Lane(Muster muster) {
    this.muster = muster;
    this.spec = muster.spec();
  }

  /// Whoever is seen for the first time is written down, so that it is in one set from then on
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
        muster.move(node, Standing.PENDING_OFFLINE);
      }
    }
  }

  /// A rollout is valid for its lane's wait after the last batch, or nodes enrolled one after the
  /// other would keep it open for ever.
  private boolean isTaken(NodeStatus status) {
    boolean valid =
        muster.passed() < spec.batches() || !muster.isBatchOlderThan(spec.times().laneWait());
    return valid && spec.admission().match(status) != Match.NO;
  }

  void start(Turn turn) {
    if (muster.passed() > 0) {
      muster.candidates().forEach(it -> turn.take(it.node(), Standing.PENDING_OFFLINE));
    }
  }

  /// Who has not begun.
  List<NodeId> pending() {
    Stream<NodeId> unseen = spec.plan().offline().stream().filter(it -> muster.place(it).isEmpty());
    Stream<NodeId> seen =
        muster.listed().stream()
            .filter(it -> it.getValue().standing() == Standing.PENDING_OFFLINE)
            .map(Entry::getKey);
    return Stream.concat(unseen, seen).toList();
  }
}
