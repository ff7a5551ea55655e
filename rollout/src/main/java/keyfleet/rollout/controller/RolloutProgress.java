package keyfleet.rollout.controller;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.plan.ExcludedNode;

/// What has become of each node: the durable part of a rollout, without any time in it. Nodes that
/// took the usual path are not listed, which keeps the record small: in batches below `keptBatches`
/// they are confirmed, from there to `passedBatches` they were confirmed and have since been
/// reverted, and in the rest they have not started. `excluded` lists nodes that were left out when
/// they were about to start, with the reason (R16).
public record RolloutProgress(
    int passedBatches,
    int keptBatches,
    SortedMap<NodeId, NodeEntry> entries,
    List<ExcludedNode> excluded) {
  public static final RolloutProgress EMPTY = new RolloutProgress(0, 0, new TreeMap<>());

  public RolloutProgress(int passedBatches, int keptBatches, SortedMap<NodeId, NodeEntry> entries) {
    this(passedBatches, keptBatches, entries, List.of());
  }

  public RolloutProgress {
    if (keptBatches < 0 || keptBatches > passedBatches) {
      throw new IllegalArgumentException(
          "cannot keep %d of %d batches".formatted(keptBatches, passedBatches));
    }
    entries = Collections.unmodifiableSortedMap(new TreeMap<>(entries));
    excluded = List.copyOf(excluded);
  }

  /// Every node of the plan and every node that came later, each once (I10).
  public Map<NodeId, NodeProgress> progressByNode(RolloutSpec spec) {
    Map<NodeId, NodeProgress> all = new LinkedHashMap<>();
    for (int batch = 0; batch < spec.batchCount(); batch++) {
      putAll(all, spec.batch(batch), unlistedProgress(batch));
    }
    putAll(all, spec.plan().offline(), NodeProgress.PENDING_OFFLINE);
    spec.plan().excluded().forEach(it -> all.put(it.node(), NodeProgress.EXCLUDED));
    entries.forEach((node, entry) -> all.putIfAbsent(node, entry.progress()));
    return all;
  }

  private void putAll(Map<NodeId, NodeProgress> all, List<NodeId> nodes, NodeProgress unlisted) {
    for (NodeId node : nodes) {
      NodeEntry entry = entries.get(node);
      all.put(node, entry == null ? unlisted : entry.progress());
    }
  }

  /// The progress of the nodes of a batch that are not listed.
  private NodeProgress unlistedProgress(int batch) {
    if (batch < keptBatches) {
      return NodeProgress.CONFIRMED;
    }
    return batch < passedBatches ? NodeProgress.REVERTED : NodeProgress.PENDING;
  }

  /// Distinct nodes, however often each one reported its failure (I7).
  public List<NodeId> failedNodes() {
    return nodesIn(NodeProgress.FAILING, NodeProgress.FAILED);
  }

  /// Over all nodes.
  public FailureCount countFailures(RolloutSpec spec) {
    FailureCount failures = FailureCount.NONE;
    for (NodeEntry entry : entries.values()) {
      failures = failures.plusNode(entry, spec.firstAttempt());
    }
    for (int batch = 0; batch < passedBatches; batch++) {
      failures =
          failures.plusSucceeded(
              spec.batch(batch).stream().filter(it -> !entries.containsKey(it)).count());
    }
    return failures;
  }

  /// Over these nodes, none of which is in a batch that has passed.
  public FailureCount countFailures(RolloutSpec spec, Collection<NodeId> nodes) {
    FailureCount failures = FailureCount.NONE;
    for (NodeId node : nodes) {
      NodeEntry entry = entries.get(node);
      failures = entry == null ? failures : failures.plusNode(entry, spec.firstAttempt());
    }
    return failures;
  }

  /// The nodes that a stopping rollout still waits for.
  public List<NodeId> awaitedNodes() {
    return nodesIn(NodeProgress.RECALLING, NodeProgress.REVERTING, NodeProgress.FAILING);
  }

  private List<NodeId> nodesIn(NodeProgress... wanted) {
    List<NodeProgress> all = List.of(wanted);
    return entries.entrySet().stream()
        .filter(it -> all.contains(it.getValue().progress()))
        .map(Map.Entry::getKey)
        .toList();
  }
}
