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
/// took the usual path are not listed, which keeps the ledger small: in batches below `kept` they
/// are confirmed, from there to `passed` they were confirmed and have since been reverted, and in
/// the rest they have not started. `excluded` lists nodes that were left out when they were about
/// to start, with the reason (R16).
public record RolloutProgress(
    int passed, int kept, SortedMap<NodeId, NodeEntry> places, List<ExcludedNode> excluded) {
  public static final RolloutProgress EMPTY = new RolloutProgress(0, 0, new TreeMap<>());

  public RolloutProgress(int passed, int kept, SortedMap<NodeId, NodeEntry> places) {
    this(passed, kept, places, List.of());
  }

  public RolloutProgress {
    if (kept < 0 || kept > passed) {
      throw new IllegalArgumentException("cannot keep %d of %d batches".formatted(kept, passed));
    }
    places = Collections.unmodifiableSortedMap(new TreeMap<>(places));
    excluded = List.copyOf(excluded);
  }

  /// Every node of the plan and every node that came later, each once (I10).
  public Map<NodeId, NodeProgress> standings(RolloutSpec spec) {
    Map<NodeId, NodeProgress> all = new LinkedHashMap<>();
    for (int batch = 0; batch < spec.batches(); batch++) {
      put(all, spec.batch(batch), usual(batch));
    }
    put(all, spec.plan().offline(), NodeProgress.PENDING_OFFLINE);
    spec.plan().excluded().forEach(it -> all.put(it.node(), NodeProgress.EXCLUDED));
    places.forEach((node, place) -> all.putIfAbsent(node, place.standing()));
    return all;
  }

  private void put(Map<NodeId, NodeProgress> all, List<NodeId> nodes, NodeProgress unlisted) {
    for (NodeId node : nodes) {
      NodeEntry place = places.get(node);
      all.put(node, place == null ? unlisted : place.standing());
    }
  }

  /// The progress of the nodes of a batch that are not listed.
  private NodeProgress usual(int batch) {
    if (batch < kept) {
      return NodeProgress.CONFIRMED;
    }
    return batch < passed ? NodeProgress.REVERTED : NodeProgress.PENDING;
  }

  /// Distinct nodes, however often each one reported its failure (I7).
  public List<NodeId> failed() {
    return nodes(NodeProgress.FAILING, NodeProgress.FAILED);
  }

  /// Over all nodes.
  public FailureCount tally(RolloutSpec spec) {
    FailureCount tally = FailureCount.NONE;
    for (NodeEntry place : places.values()) {
      tally = tally.plus(place, spec.attempt());
    }
    for (int batch = 0; batch < passed; batch++) {
      tally =
          tally.plusGood(spec.batch(batch).stream().filter(it -> !places.containsKey(it)).count());
    }
    return tally;
  }

  /// Over these nodes, none of which is in a batch that has passed.
  public FailureCount tally(RolloutSpec spec, Collection<NodeId> nodes) {
    FailureCount tally = FailureCount.NONE;
    for (NodeId node : nodes) {
      NodeEntry place = places.get(node);
      tally = place == null ? tally : tally.plus(place, spec.attempt());
    }
    return tally;
  }

  /// The nodes that a stopping rollout still waits for.
  public List<NodeId> awaited() {
    return nodes(NodeProgress.RECALLING, NodeProgress.REVERTING, NodeProgress.FAILING);
  }

  private List<NodeId> nodes(NodeProgress... standings) {
    List<NodeProgress> wanted = List.of(standings);
    return places.entrySet().stream()
        .filter(it -> wanted.contains(it.getValue().standing()))
        .map(Map.Entry::getKey)
        .toList();
  }
}
