package keyfleet.rollout.controller;

import java.util.List;
import java.util.Map.Entry;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import keyfleet.rollout.NodeId;

/// How many more nodes may take a step. I6: nodes that may run the release unconfirmed, silent ones
/// and late ones included, never exceed the batch size plus `max_unavailable`; the present ones
/// among them never take a slot beyond the batch size.
final class InFlightBudget {
  private final RolloutDraft muster;
  private final RolloutLimits limits;
  private final Set<NodeId> batch;
  private long preparing;
  private long flying;
  private long inSight;
  private long inLane;

  InFlightBudget(RolloutDraft muster) {
    this.muster = muster;
    this.limits = muster.spec().limits();
    this.batch = muster.currentBatch();
    muster.listed().forEach(this::occupy);
  }

  private void occupy(Entry<NodeId, NodeEntry> it) {
    NodeProgress standing = it.getValue().standing();
    boolean present = muster.isPresent(it.getKey());
    boolean counts = standing.isFlying() || (standing == NodeProgress.PREPARING && present);
    flying += standing.isFlying() ? 1 : 0;
    inSight += standing.isFlying() && present ? 1 : 0;
    preparing += standing == NodeProgress.PREPARING && present ? 1 : 0;
    inLane += counts && !batch.contains(it.getKey()) ? 1 : 0;
  }

  /// The nodes that are expected and not present. A node that was offline from the start and has
  /// not started is not one of them.
  List<NodeId> unreachable() {
    Stream<NodeId> listed =
        muster.listed().stream()
            .filter(it -> it.getValue().standing() == NodeProgress.LOST || isSilent(it))
            .map(Entry::getKey);
    Stream<NodeId> pending =
        batch.stream()
            .filter(it -> muster.standing(it) == NodeProgress.PENDING && !muster.isPresent(it));
    return Stream.concat(listed, pending).sorted().toList();
  }

  private boolean isSilent(Entry<NodeId, NodeEntry> it) {
    return it.getValue().standing().isOpen() && !muster.isPresent(it.getKey());
  }

  /// Above the limit the rollout starts nothing new; it does not abort (R13).
  boolean isHeld() {
    return unreachable().size() > limits.maxUnavailable();
  }

  String words() {
    List<NodeId> nodes = unreachable();
    return nodes.size()
        + " unreachable nodes exceed the limit of "
        + limits.maxUnavailable()
        + ": "
        + nodes.stream().map(NodeId::value).collect(Collectors.joining(", "));
  }

  boolean takeStart(NodeId node) {
    boolean lane = !batch.contains(node);
    boolean free =
        preparing + inSight < limits.batchSize()
            && preparing + flying < limits.unconfirmed()
            && (!lane || inLane < limits.lane());
    if (free) {
      preparing++;
      inLane += lane ? 1 : 0;
    }
    return free;
  }

  /// The node is preparing and is counted as such.
  boolean takeFlight() {
    boolean free = inSight < limits.batchSize() && flying < limits.unconfirmed();
    if (free) {
      preparing--;
      inSight++;
      flying++;
    }
    return free;
  }
}
