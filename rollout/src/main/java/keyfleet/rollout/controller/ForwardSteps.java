package keyfleet.rollout.controller;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map.Entry;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.plan.ExcludedNode;
import keyfleet.rollout.plan.NodeStatus;
import keyfleet.rollout.target.TargetMatch;

/// The steps of a rollout that moves forward. It first judges reports and deadlines, then takes
/// every allowed step until none is left.
final class ForwardSteps {
  /// A node that is cut off in every attempt is given up after this many.
  static final int MAX_ATTEMPTS = 5;

  private static final Duration FOREVER = Duration.ofDays(365_000);

  private final RolloutDraft draft;
  private final RolloutSpec spec;
  private boolean artifactMissing;

  ForwardSteps(RolloutDraft draft) {
    this.draft = draft;
    this.spec = draft.spec();
  }

  /// Whether a node could not get the artifact, which is not the release's fault (R14).
  boolean isArtifactMissing() {
    return artifactMissing;
  }

  /// R13: failures count distinct nodes. R14: one failed canary is too many. So is a number of
  /// failures that reaches the limit for all nodes or for the current batch.
  boolean hasTooManyFailures() {
    if (draft.count(it -> it.getValue().progress().isFailed()) == 0) {
      return false;
    }
    RolloutProgress progress = draft.progress();
    return spec.plan().canaries().stream().anyMatch(node -> draft.progressOf(node).isFailed())
        || spec.limits().maxFailed().isReached(progress.countFailures(spec))
        || spec.limits()
            .maxFailedPerBatch()
            .isReached(progress.countFailures(spec, draft.currentBatch()));
  }

  void judgeReports() {
    for (Entry<NodeId, NodeEntry> it : draft.entries()) {
      NodeProgress progress = it.getValue().progress();
      if (progress == NodeProgress.PREPARING || progress.isUnconfirmed()) {
        judgeReports(it.getKey(), it.getValue());
      }
    }
  }

  private void judgeReports(NodeId node, NodeEntry entry) {
    Optional<NodeReport> report = draft.report(node, entry);
    if (report.isPresent() && report.get().phase().isTerminal()) {
      draft.put(node, outcome(entry, report.get()));
    } else if (draft.isPresent(node) && draft.isOverdue(node, allowedTime(node, entry))) {
      // R13: the node is present, so it could have answered. A silent node has not failed.
      boolean mayRun = entry.progress().isUnconfirmed();
      draft.move(node, mayRun ? NodeProgress.FAILING : NodeProgress.FAILED);
    }
  }

  /// R13: the node's own report for this attempt decides.
  private NodeEntry outcome(NodeEntry entry, NodeReport report) {
    if (report.phase() == NodePhase.CONFIRMED) {
      return entry.withProgress(NodeProgress.CONFIRMED);
    }
    if (entry.progress() == NodeProgress.FAILING) {
      return entry.withProgress(NodeProgress.FAILED);
    }
    return switch (report.rollbackReason()) {
      case UNHEALTHY, REFUSED -> entry.withProgress(NodeProgress.FAILED);
      case INFRASTRUCTURE -> {
        artifactMissing = true;
        yield new NodeEntry(NodeProgress.WAITING, entry.attempt() + 1);
      }
      case UNCONFIRMED, ORDERED, NONE -> nextAttempt(entry);
    };
  }

  /// The node was cut off, which is not the release's fault.
  private NodeEntry nextAttempt(NodeEntry entry) {
    return entry.attempt() - spec.firstAttempt() + 1 < MAX_ATTEMPTS
        ? new NodeEntry(NodeProgress.WAITING, entry.attempt() + 1)
        : entry.withProgress(NodeProgress.LOST);
  }

  private Duration allowedTime(NodeId node, NodeEntry entry) {
    boolean staged = entry.progress() == NodeProgress.PREPARING && isStaged(node, entry);
    if (staged || entry.progress() == NodeProgress.FAILING) {
      return FOREVER; // it waits for the driver, or has failed already
    }
    return entry.progress() == NodeProgress.PREPARING
        ? spec.timings().prepareWithin()
        : spec.timings().settleWithin();
  }

  private boolean isStaged(NodeId node, NodeEntry entry) {
    return draft
        .report(node, entry)
        .map(NodeReport::phase)
        .filter(it -> it != NodePhase.PREPARING && it != NodePhase.ROLLING_BACK)
        .isPresent();
  }

  /// R7, R19: a node that has soaked is confirmed even while the rollout is paused, or its deadline
  /// would undo the update.
  void confirmSoaked() {
    for (Entry<NodeId, NodeEntry> it : draft.entries()) {
      boolean soaked =
          it.getValue().progress() == NodeProgress.APPLYING
              && draft
                  .report(it.getKey(), it.getValue())
                  .filter(report -> report.phase() == NodePhase.SOAKED)
                  .isPresent();
      if (soaked) {
        draft.move(it.getKey(), NodeProgress.CONFIRMING);
      }
    }
  }

  void takeSteps() {
    addLateNodes();
    retryOccupiedCanaries();
    do {
      InFlightBudget budget = new InFlightBudget(draft);
      if (!budget.isUnavailableLimitExceeded()) {
        applyStaged(budget);
        startNodes(budget);
        startLateNodes(budget);
      }
    } while (passBatchIfDone());
  }

  /// R16: late nodes were offline when the plan was made, or were enrolled since then and match the
  /// frozen target. A node is added to the rollout when it is first seen, so that it is in exactly
  /// one set from then on (I10).
  private void addLateNodes() {
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

  /// R4: the rollout needs at least one canary, and another rollout may have released one of ours.
  private void retryOccupiedCanaries() {
    if (!draft.hasNoCanaries()) {
      return;
    }
    for (NodeId node : spec.batch(draft.passedBatches())) {
      boolean due =
          draft.progressOf(node) == NodeProgress.OCCUPIED
              && draft.isPresent(node)
              && draft.isOverdue(node, spec.timings().staleAfter());
      if (due) {
        draft.move(node, NodeProgress.WAITING);
      }
    }
  }

  /// The order to apply is committed only after the node has reported STAGED.
  private void applyStaged(InFlightBudget budget) {
    for (Entry<NodeId, NodeEntry> it : draft.entries()) {
      NodeId node = it.getKey();
      boolean ready =
          it.getValue().progress() == NodeProgress.PREPARING
              && draft.isPresent(node)
              && isStaged(node, it.getValue());
      if (ready && budget.reserveApply()) {
        draft.move(node, NodeProgress.APPLYING);
      }
    }
  }

  private void startNodes(InFlightBudget budget) {
    if (draft.passedBatches() < spec.batchCount() && !isBatchPause()) {
      spec.batch(draft.passedBatches())
          .forEach(node -> startIfAllowed(node, NodeProgress.PENDING, budget));
    }
    draft.entries().forEach(it -> startIfAllowed(it.getKey(), NodeProgress.WAITING, budget));
  }

  /// Late nodes start after the first batch has passed.
  private void startLateNodes(InFlightBudget budget) {
    if (draft.passedBatches() > 0) {
      draft
          .candidates()
          .forEach(it -> startIfAllowed(it.node(), NodeProgress.PENDING_OFFLINE, budget));
    }
  }

  /// Starts the node if its progress is `from`, it is present, the rules allow it and the budget
  /// has a slot. Each node is checked again as in preflight: it may have been offline when the plan
  /// was made, or may have changed while it was away (R16). A node without a status in the last
  /// observation waits for the next one.
  private void startIfAllowed(NodeId node, NodeProgress from, InFlightBudget budget) {
    if (draft.progressOf(node) == from && draft.isPresent(node)) {
      draft.status(node).ifPresent(status -> startIfAllowed(status, budget));
    }
  }

  private void startIfAllowed(NodeStatus status, InFlightBudget budget) {
    Optional<ExcludedNode.Reason> objection = spec.eligibility().objectionAtStart(status);
    if (objection.isPresent()) {
      draft.exclude(status.node(), objection.get());
    } else if (budget.reserveStart(status.node())) {
      draft.move(status.node(), NodeProgress.PREPARING);
    }
  }

  /// The pause between two batches lasts only while no node of the next batch has started.
  private boolean isBatchPause() {
    List<NodeId> batch = spec.batch(draft.passedBatches());
    return draft.passedBatches() > 0
        && !draft.isBatchOlderThan(spec.timings().batchPause())
        && batch.stream().allMatch(node -> hasNotStarted(draft.progressOf(node)));
  }

  private static boolean hasNotStarted(NodeProgress progress) {
    return progress == NodeProgress.PENDING || progress.isLeftOut();
  }

  private boolean passBatchIfDone() {
    if (draft.passedBatches() == spec.batchCount()
        || isBatchPause()
        || new InFlightBudget(draft).isUnavailableLimitExceeded()) {
      return false;
    }
    List<NodeId> batch = spec.batch(draft.passedBatches());
    boolean done =
        spec.isCanaryBatch(draft.passedBatches())
            ? isCanaryBatchDone(batch)
            : batch.stream().noneMatch(this::isBusy);
    if (done) {
      draft.passBatch();
    }
    return done;
  }

  /// R14: no canary may be missing unless it was excluded explicitly, and at least one must have
  /// confirmed.
  private boolean isCanaryBatchDone(List<NodeId> canaries) {
    List<NodeProgress> progress = canaries.stream().map(draft::progressOf).toList();
    return progress.contains(NodeProgress.CONFIRMED)
        && progress.stream().allMatch(it -> it == NodeProgress.CONFIRMED || it.isLeftOut());
  }

  /// Silent nodes do not hold up the batch; [InFlightBudget#isUnavailableLimitExceeded] limits how
  /// many there may be.
  private boolean isBusy(NodeId node) {
    NodeProgress progress = draft.progressOf(node);
    return draft.isPresent(node) && (progress == NodeProgress.PENDING || progress.isInProgress());
  }

  /// All batches have passed, and no remaining node is expected any more.
  boolean isComplete() {
    if (draft.passedBatches() < spec.batchCount()
        || new InFlightBudget(draft).isUnavailableLimitExceeded()) {
      return false;
    }
    List<NodeId> offline = pendingLateNodes();
    List<NodeId> open =
        draft.entries().stream()
            .filter(it -> it.getValue().progress().isInProgress())
            .map(Entry::getKey)
            .toList();
    boolean noneLeft = offline.isEmpty() && open.isEmpty();
    return noneLeft
        || (draft.isBatchOlderThan(spec.timings().lateNodeWait())
            && offline.stream().noneMatch(draft::isPresent)
            && open.stream().allMatch(this::isGivenUp));
  }

  /// The late nodes that have not started.
  private List<NodeId> pendingLateNodes() {
    Stream<NodeId> unseen = spec.plan().offline().stream().filter(it -> draft.entry(it).isEmpty());
    Stream<NodeId> seen =
        draft.entries().stream()
            .filter(it -> it.getValue().progress() == NodeProgress.PENDING_OFFLINE)
            .map(Entry::getKey);
    return Stream.concat(unseen, seen).toList();
  }

  /// By then a silent node that was ordered to run the release has rolled back by its own deadline.
  private boolean isGivenUp(NodeId node) {
    boolean unconfirmed = draft.progressOf(node).isUnconfirmed();
    return !draft.isPresent(node)
        && (!unconfirmed || draft.isOverdue(node, spec.timings().settleWithin()));
  }

  /// The rollout ends without these nodes; if they return, they roll back.
  void giveUpSilentNodes() {
    for (Entry<NodeId, NodeEntry> it : draft.entries()) {
      switch (it.getValue().progress()) {
        case PREPARING, APPLYING, CONFIRMING -> draft.move(it.getKey(), NodeProgress.LOST);
        default -> {}
      }
    }
  }
}
