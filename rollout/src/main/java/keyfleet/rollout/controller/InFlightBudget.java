package keyfleet.rollout.controller;

import java.util.List;
import java.util.Map.Entry;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import keyfleet.rollout.NodeId;

/// Limits how many nodes take a step at once. I6: nodes that may run the release unconfirmed,
/// silent ones and late ones included, never exceed the batch size plus `max_unavailable`; the
/// present ones among them never take a slot beyond the batch size.
final class InFlightBudget {
  private final RolloutDraft draft;
  private final RolloutLimits limits;
  private final Set<NodeId> batch;
  private long preparing;
  private long unconfirmed;
  private long unconfirmedPresent;
  private long late;

  InFlightBudget(RolloutDraft draft) {
    this.draft = draft;
    this.limits = draft.spec().limits();
    this.batch = draft.currentBatch();
    draft.entries().forEach(this::count);
  }

  private void count(Entry<NodeId, NodeEntry> it) {
    NodeProgress progress = it.getValue().progress();
    boolean present = draft.isPresent(it.getKey());
    boolean counts = progress.isUnconfirmed() || (progress == NodeProgress.PREPARING && present);
    unconfirmed += progress.isUnconfirmed() ? 1 : 0;
    unconfirmedPresent += progress.isUnconfirmed() && present ? 1 : 0;
    preparing += progress == NodeProgress.PREPARING && present ? 1 : 0;
    late += counts && !batch.contains(it.getKey()) ? 1 : 0;
  }

  /// The nodes that are expected and not present. A node that was offline from the start and has
  /// not started is not one of them.
  List<NodeId> unreachable() {
    Stream<NodeId> listed =
        draft.entries().stream()
            .filter(it -> it.getValue().progress() == NodeProgress.LOST || isSilent(it))
            .map(Entry::getKey);
    Stream<NodeId> pending =
        batch.stream()
            .filter(it -> draft.progressOf(it) == NodeProgress.PENDING && !draft.isPresent(it));
    return Stream.concat(listed, pending).sorted().toList();
  }

  private boolean isSilent(Entry<NodeId, NodeEntry> it) {
    return it.getValue().progress().isInProgress() && !draft.isPresent(it.getKey());
  }

  /// Above the limit the rollout starts nothing new; it does not abort (R13).
  boolean isUnavailableLimitExceeded() {
    return unreachable().size() > limits.maxUnavailable();
  }

  String description() {
    List<NodeId> nodes = unreachable();
    return "unreachable nodes: "
        + nodes.size()
        + ", max_unavailable: "
        + limits.maxUnavailable()
        + "; no node starts until they return or are forgotten: "
        + nodes.stream().map(NodeId::value).collect(Collectors.joining(", "));
  }

  boolean reserveStart(NodeId node) {
    boolean isLate = !batch.contains(node);
    boolean free =
        preparing + unconfirmedPresent < limits.batchSize()
            && preparing + unconfirmed < limits.maxUnconfirmed()
            && (!isLate || late < limits.maxLateNodes());
    if (free) {
      preparing++;
      late += isLate ? 1 : 0;
    }
    return free;
  }

  /// The node is preparing and is counted as such.
  boolean reserveApply() {
    boolean free = unconfirmedPresent < limits.batchSize() && unconfirmed < limits.maxUnconfirmed();
    if (free) {
      preparing--;
      unconfirmedPresent++;
      unconfirmed++;
    }
    return free;
  }
}
