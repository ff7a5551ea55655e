package keyfleet.rollout.controller;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.plan.ExcludedNode;
import keyfleet.rollout.plan.NodeStatus;

/// A working copy of a run while the driver makes one decision: the ledger and the driver's view,
/// changed in place. [#run] returns the result.
final class RolloutDraft {
  private final RolloutRun before;
  private final Duration now;
  private final Map<NodeId, Duration> since;
  private final TreeMap<NodeId, NodeEntry> places;
  private final List<ExcludedNode> excluded;
  private int passed;
  private int kept;
  private Duration batchSince;

  RolloutDraft(RolloutRun run, Duration now) {
    this.before = run;
    this.now = now;
    this.since = new HashMap<>(run.outlook().since());
    this.places = new TreeMap<>(run.ledger().places());
    this.excluded = new ArrayList<>(run.ledger().excluded());
    this.passed = run.ledger().passed();
    this.kept = run.ledger().kept();
    this.batchSince = run.outlook().batchSince();
    if (run.outlook().looked()) {
      // A step that began under another driver gets its full time under this one.
      places.keySet().forEach(node -> since.putIfAbsent(node, now));
    }
  }

  RolloutRun run() {
    since.keySet().retainAll(places.keySet());
    DriverView seen = before.outlook();
    Map<NodeId, NodeReport> reports = new HashMap<>(seen.reports());
    reports.keySet().retainAll(places.keySet());
    DriverView outlook =
        new DriverView(
            seen.looked(),
            seen.lookedAt(),
            seen.present(),
            reports,
            seen.candidates(),
            since,
            batchSince);
    return new RolloutRun(spec(), before.lead(), ledger(), outlook);
  }

  RolloutProgress ledger() {
    return new RolloutProgress(passed, kept, places, excluded);
  }

  RolloutSpec spec() {
    return before.spec();
  }

  int passed() {
    return passed;
  }

  int kept() {
    return kept;
  }

  boolean isPresent(NodeId node) {
    return before.outlook().present().contains(node);
  }

  /// The present nodes with a status, by id.
  List<NodeStatus> candidates() {
    return before.outlook().candidates().values().stream()
        .filter(it -> isPresent(it.node()))
        .sorted(Comparator.comparing(NodeStatus::node))
        .toList();
  }

  /// What a node reports about itself; empty if the last observation did not include its status.
  Optional<NodeStatus> status(NodeId node) {
    return Optional.ofNullable(before.outlook().candidates().get(node));
  }

  /// The node was about to start and is left out.
  void exclude(NodeId node, ExcludedNode.Reason reason) {
    move(node, NodeProgress.EXCLUDED);
    excluded.add(new ExcludedNode(node, reason));
  }

  /// Whether a wait of `length` for the node's step, or for its return, is over.
  boolean isOverdue(NodeId node, Duration length) {
    return now.compareTo(since.getOrDefault(node, now).plus(length)) >= 0;
  }

  boolean isBatchOlderThan(Duration length) {
    return now.compareTo(batchSince.plus(length)) >= 0;
  }

  /// A copy, because entries may change during iteration.
  List<Entry<NodeId, NodeEntry>> listed() {
    List<Entry<NodeId, NodeEntry>> listed = new ArrayList<>(places.size());
    places.forEach((node, place) -> listed.add(Map.entry(node, place)));
    return listed;
  }

  Optional<NodeEntry> place(NodeId node) {
    return Optional.ofNullable(places.get(node));
  }

  /// Whether no canary is left to try the release before the other nodes (R14).
  boolean lacksCanaries() {
    return spec().isCanaries(passed)
        && spec().batch(passed).stream().map(this::standing).allMatch(NodeProgress::isLeftOut);
  }

  /// Canaries that hold up the rollout and make no progress: silent ones and those given up.
  List<NodeId> idleCanaries() {
    return spec().isCanaries(passed)
        ? spec().batch(passed).stream().filter(this::isIdle).toList()
        : List.of();
  }

  private boolean isIdle(NodeId node) {
    NodeProgress standing = standing(node);
    boolean expected = standing == NodeProgress.PENDING || standing.isOpen();
    return standing == NodeProgress.LOST || (expected && !isPresent(node));
  }

  NodeProgress standing(NodeId node) {
    NodeEntry place = places.get(node);
    return place == null ? NodeProgress.PENDING : place.standing();
  }

  /// What the node reports about this rollout, in any attempt.
  Optional<NodeReport> report(NodeId node) {
    return Optional.ofNullable(before.outlook().reports().get(node));
  }

  /// What the node reports about its current attempt.
  Optional<NodeReport> report(NodeId node, NodeEntry place) {
    return report(node).filter(it -> it.isOf(spec().id(), place.attempt()));
  }

  void put(NodeId node, NodeEntry place) {
    if (!place.equals(places.put(node, place))) {
      since.put(node, now);
    }
  }

  void move(NodeId node, NodeProgress standing) {
    put(node, place(node).orElse(new NodeEntry(standing, spec().attempt())).in(standing));
  }

  long count(Predicate<Entry<NodeId, NodeEntry>> which) {
    return places.entrySet().stream().filter(which).count();
  }

  long count(NodeProgress standing) {
    return count(it -> it.getValue().standing() == standing);
  }

  Set<NodeId> currentBatch() {
    return passed < spec().batches() ? new HashSet<>(spec().batch(passed)) : Set.of();
  }

  /// The batch has passed: confirmed nodes are no longer listed, nodes that did not start now are.
  void pass() {
    for (NodeId node : spec().batch(passed)) {
      if (standing(node) == NodeProgress.PENDING) {
        move(node, NodeProgress.WAITING);
      }
      unlist(node, NodeProgress.CONFIRMED);
    }
    passed++;
    kept++;
    batchSince = now;
  }

  /// Undoes the last batch that was kept.
  void undo() {
    kept--;
    spec().batch(kept).forEach(node -> unlist(node, NodeProgress.REVERTED));
  }

  /// Only a node in its first attempt can be reconstructed from the batch alone.
  private void unlist(NodeId node, NodeProgress usual) {
    places.remove(node, new NodeEntry(usual, spec().attempt()));
  }
}
