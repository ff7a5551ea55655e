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

/// A working copy of a run while the driver makes one decision: the progress and the driver's view,
/// changed in place. [#toRun] returns the result.
final class RolloutDraft {
  private final RolloutRun before;
  private final Duration now;
  private final Map<NodeId, Duration> waitingSince;
  private final TreeMap<NodeId, NodeEntry> entries;
  private final List<ExcludedNode> excluded;
  private int passedBatches;
  private int keptBatches;
  private Duration lastBatchPassedAt;

  RolloutDraft(RolloutRun run, Duration now) {
    this.before = run;
    this.now = now;
    this.waitingSince = new HashMap<>(run.driverView().waitingSince());
    this.entries = new TreeMap<>(run.progress().entries());
    this.excluded = new ArrayList<>(run.progress().excluded());
    this.passedBatches = run.progress().passedBatches();
    this.keptBatches = run.progress().keptBatches();
    this.lastBatchPassedAt = run.driverView().lastBatchPassedAt();
    if (run.driverView().observed()) {
      // A step that began under another driver gets its full time under this one.
      entries.keySet().forEach(node -> waitingSince.putIfAbsent(node, now));
    }
  }

  RolloutRun toRun() {
    waitingSince.keySet().retainAll(entries.keySet());
    DriverView view = before.driverView();
    Map<NodeId, NodeReport> reports = new HashMap<>(view.reports());
    reports.keySet().retainAll(entries.keySet());
    DriverView driverView =
        new DriverView(
            view.observed(),
            view.observedAt(),
            view.present(),
            reports,
            view.candidates(),
            waitingSince,
            lastBatchPassedAt);
    return new RolloutRun(spec(), before.claim(), progress(), driverView);
  }

  RolloutProgress progress() {
    return new RolloutProgress(passedBatches, keptBatches, entries, excluded);
  }

  RolloutSpec spec() {
    return before.spec();
  }

  int passedBatches() {
    return passedBatches;
  }

  int keptBatches() {
    return keptBatches;
  }

  boolean isPresent(NodeId node) {
    return before.driverView().present().contains(node);
  }

  /// The present nodes with a status, by id.
  List<NodeStatus> candidates() {
    return before.driverView().candidates().values().stream()
        .filter(it -> isPresent(it.node()))
        .sorted(Comparator.comparing(NodeStatus::node))
        .toList();
  }

  /// What a node reports about itself; empty if the last observation did not include its status.
  Optional<NodeStatus> status(NodeId node) {
    return Optional.ofNullable(before.driverView().candidates().get(node));
  }

  /// The node was about to start and is left out.
  void exclude(NodeId node, ExcludedNode.Reason reason) {
    move(node, NodeProgress.EXCLUDED);
    excluded.add(new ExcludedNode(node, reason));
  }

  /// Whether a wait of `length` for the node's step, or for its return, is over.
  boolean isOverdue(NodeId node, Duration length) {
    return now.compareTo(waitingSince.getOrDefault(node, now).plus(length)) >= 0;
  }

  boolean isBatchOlderThan(Duration length) {
    return now.compareTo(lastBatchPassedAt.plus(length)) >= 0;
  }

  /// A copy, because entries may change during iteration.
  List<Entry<NodeId, NodeEntry>> entries() {
    List<Entry<NodeId, NodeEntry>> copy = new ArrayList<>(entries.size());
    entries.forEach((node, entry) -> copy.add(Map.entry(node, entry)));
    return copy;
  }

  Optional<NodeEntry> entry(NodeId node) {
    return Optional.ofNullable(entries.get(node));
  }

  /// Whether no canary is left to try the release before the other nodes (R14).
  boolean hasNoCanaries() {
    return spec().isCanaryBatch(passedBatches)
        && spec().batch(passedBatches).stream()
            .map(this::progressOf)
            .allMatch(NodeProgress::isLeftOut);
  }

  /// Canaries that hold up the rollout and make no progress: silent ones and those given up.
  List<NodeId> stalledCanaries() {
    return spec().isCanaryBatch(passedBatches)
        ? spec().batch(passedBatches).stream().filter(this::isStalled).toList()
        : List.of();
  }

  private boolean isStalled(NodeId node) {
    NodeProgress progress = progressOf(node);
    boolean expected = progress == NodeProgress.PENDING || progress.isInProgress();
    return progress == NodeProgress.LOST || (expected && !isPresent(node));
  }

  NodeProgress progressOf(NodeId node) {
    NodeEntry entry = entries.get(node);
    return entry == null ? NodeProgress.PENDING : entry.progress();
  }

  /// What the node reports about this rollout, in any attempt.
  Optional<NodeReport> report(NodeId node) {
    return Optional.ofNullable(before.driverView().reports().get(node));
  }

  /// What the node reports about its current attempt.
  Optional<NodeReport> report(NodeId node, NodeEntry entry) {
    return report(node).filter(it -> it.isFor(spec().id(), entry.attempt()));
  }

  void put(NodeId node, NodeEntry entry) {
    if (!entry.equals(entries.put(node, entry))) {
      waitingSince.put(node, now);
    }
  }

  void move(NodeId node, NodeProgress progress) {
    put(
        node,
        entry(node).orElse(new NodeEntry(progress, spec().firstAttempt())).withProgress(progress));
  }

  long count(Predicate<Entry<NodeId, NodeEntry>> which) {
    return entries.entrySet().stream().filter(which).count();
  }

  long count(NodeProgress progress) {
    return count(it -> it.getValue().progress() == progress);
  }

  Set<NodeId> currentBatch() {
    return passedBatches < spec().batchCount()
        ? new HashSet<>(spec().batch(passedBatches))
        : Set.of();
  }

  /// The batch has passed: confirmed nodes are no longer listed, nodes that did not start now are.
  void passBatch() {
    for (NodeId node : spec().batch(passedBatches)) {
      if (progressOf(node) == NodeProgress.PENDING) {
        move(node, NodeProgress.WAITING);
      }
      unlistIf(node, NodeProgress.CONFIRMED);
    }
    passedBatches++;
    keptBatches++;
    lastBatchPassedAt = now;
  }

  /// Undoes the last batch that was kept.
  void undoBatch() {
    keptBatches--;
    spec().batch(keptBatches).forEach(node -> unlistIf(node, NodeProgress.REVERTED));
  }

  /// Only a node in its first attempt can be reconstructed from the batch alone.
  private void unlistIf(NodeId node, NodeProgress usual) {
    entries.remove(node, new NodeEntry(usual, spec().firstAttempt()));
  }
}
