package keyfleet.rollout.controller;

import java.time.Duration;
import java.util.List;
import java.util.Map.Entry;
import java.util.Optional;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;

/// The steps of a rollout that moves forward. It first judges reports and deadlines, then takes
/// every allowed step until none is left.
final class ForwardSteps {
  /// A node that is cut off in every attempt is given up after this many.
  static final int MAX_TRIES = 5;

  private static final Duration FOREVER = Duration.ofDays(365_000);

  private final RolloutDraft muster;
  private final RolloutSpec spec;
  private boolean starved;

  ForwardSteps(RolloutDraft muster) {
    this.muster = muster;
    this.spec = muster.spec();
  }

  /// Whether a node could not get the artifact, which is not the release's fault (R14).
  boolean isStarved() {
    return starved;
  }

  /// R13: failures count distinct nodes. R14: one failed canary is too many. So is a number of
  /// failures that reaches the limit for all nodes or for the current batch.
  boolean isFailing() {
    if (muster.count(it -> it.getValue().standing().isFailed()) == 0) {
      return false;
    }
    RolloutProgress ledger = muster.ledger();
    return spec.plan().canaries().stream().anyMatch(node -> muster.standing(node).isFailed())
        || spec.limits().maxFailed().isReached(ledger.tally(spec))
        || spec.limits().maxFailedPerBatch().isReached(ledger.tally(spec, muster.currentBatch()));
  }

  void judge() {
    for (Entry<NodeId, NodeEntry> it : muster.listed()) {
      NodeProgress standing = it.getValue().standing();
      if (standing == NodeProgress.PREPARING || standing.isFlying()) {
        judge(it.getKey(), it.getValue());
      }
    }
  }

  private void judge(NodeId node, NodeEntry place) {
    Optional<NodeReport> report = muster.report(node, place);
    if (report.isPresent() && report.get().phase().isTerminal()) {
      muster.put(node, outcome(place, report.get()));
    } else if (muster.isPresent(node) && muster.isOverdue(node, allowed(node, place))) {
      // R13: the node is present, so it could have answered. A silent node has not failed.
      boolean mayRun = place.standing().isFlying();
      muster.move(node, mayRun ? NodeProgress.FAILING : NodeProgress.FAILED);
    }
  }

  /// R13: the node's own report for this attempt decides.
  private NodeEntry outcome(NodeEntry place, NodeReport report) {
    if (report.phase() == NodePhase.CONFIRMED) {
      return place.in(NodeProgress.CONFIRMED);
    }
    if (place.standing() == NodeProgress.FAILING) {
      return place.in(NodeProgress.FAILED);
    }
    return switch (report.setback()) {
      case UNHEALTHY, REFUSED -> place.in(NodeProgress.FAILED);
      case INFRASTRUCTURE -> {
        starved = true;
        yield new NodeEntry(NodeProgress.WAITING, place.attempt() + 1);
      }
      case UNCONFIRMED, ORDERED, NONE -> again(place);
    };
  }

  /// The node was cut off, which is not the release's fault.
  private NodeEntry again(NodeEntry place) {
    return place.attempt() - spec.attempt() + 1 < MAX_TRIES
        ? new NodeEntry(NodeProgress.WAITING, place.attempt() + 1)
        : place.in(NodeProgress.LOST);
  }

  private Duration allowed(NodeId node, NodeEntry place) {
    boolean staged = place.standing() == NodeProgress.PREPARING && isStaged(node, place);
    if (staged || place.standing() == NodeProgress.FAILING) {
      return FOREVER; // it waits for the driver, or has failed already
    }
    return place.standing() == NodeProgress.PREPARING
        ? spec.times().prepareWithin()
        : spec.times().settleWithin();
  }

  private boolean isStaged(NodeId node, NodeEntry place) {
    return muster
        .report(node, place)
        .map(NodeReport::phase)
        .filter(it -> it != NodePhase.PREPARING && it != NodePhase.ROLLING_BACK)
        .isPresent();
  }

  /// R7, R19: a node that has soaked is confirmed even while the rollout is paused, or its deadline
  /// would undo the update.
  void confirm() {
    for (Entry<NodeId, NodeEntry> it : muster.listed()) {
      boolean soaked =
          it.getValue().standing() == NodeProgress.APPLYING
              && muster
                  .report(it.getKey(), it.getValue())
                  .filter(report -> report.phase() == NodePhase.SOAKED)
                  .isPresent();
      if (soaked) {
        muster.move(it.getKey(), NodeProgress.CONFIRMING);
      }
    }
  }

  void proceed() {
    LateNodes lane = new LateNodes(muster);
    lane.enlist();
    askCanariesAgain();
    do {
      InFlightBudget room = new InFlightBudget(muster);
      if (!room.isHeld()) {
        NodeStarter turn = new NodeStarter(muster, room);
        apply(room);
        start(turn);
        lane.start(turn);
      }
    } while (passes());
  }

  /// R4: the rollout needs at least one canary, and another rollout may have released one of ours.
  private void askCanariesAgain() {
    if (!muster.lacksCanaries()) {
      return;
    }
    for (NodeId node : spec.batch(muster.passed())) {
      boolean due =
          muster.standing(node) == NodeProgress.OCCUPIED
              && muster.isPresent(node)
              && muster.isOverdue(node, spec.times().stale());
      if (due) {
        muster.move(node, NodeProgress.WAITING);
      }
    }
  }

  /// The order to apply is committed only after the node has reported STAGED.
  private void apply(InFlightBudget room) {
    for (Entry<NodeId, NodeEntry> it : muster.listed()) {
      NodeId node = it.getKey();
      boolean ready =
          it.getValue().standing() == NodeProgress.PREPARING
              && muster.isPresent(node)
              && isStaged(node, it.getValue());
      if (ready && room.takeFlight()) {
        muster.move(node, NodeProgress.APPLYING);
      }
    }
  }

  private void start(NodeStarter turn) {
    if (muster.passed() < spec.batches() && !isResting()) {
      spec.batch(muster.passed()).forEach(node -> turn.take(node, NodeProgress.PENDING));
    }
    muster.listed().forEach(it -> turn.take(it.getKey(), NodeProgress.WAITING));
  }

  /// The pause between two batches lasts only while no node of the next batch has started.
  private boolean isResting() {
    List<NodeId> batch = spec.batch(muster.passed());
    return muster.passed() > 0
        && !muster.isBatchOlderThan(spec.times().batchPause())
        && batch.stream().allMatch(node -> hasNotBegun(muster.standing(node)));
  }

  private static boolean hasNotBegun(NodeProgress standing) {
    return standing == NodeProgress.PENDING || standing.isLeftOut();
  }

  private boolean passes() {
    if (muster.passed() == spec.batches() || isResting() || new InFlightBudget(muster).isHeld()) {
      return false;
    }
    List<NodeId> batch = spec.batch(muster.passed());
    boolean through =
        spec.isCanaries(muster.passed())
            ? canariesAreThrough(batch)
            : batch.stream().noneMatch(this::isUnderWay);
    if (through) {
      muster.pass();
    }
    return through;
  }

  /// R14: no canary may be missing unless it was excluded explicitly, and at least one must have
  /// confirmed.
  private boolean canariesAreThrough(List<NodeId> canaries) {
    List<NodeProgress> standings = canaries.stream().map(muster::standing).toList();
    return standings.contains(NodeProgress.CONFIRMED)
        && standings.stream().allMatch(it -> it == NodeProgress.CONFIRMED || it.isLeftOut());
  }

  /// Silent nodes do not hold up the batch; [InFlightBudget#isHeld] limits how many there may be.
  private boolean isUnderWay(NodeId node) {
    NodeProgress standing = muster.standing(node);
    return muster.isPresent(node) && (standing == NodeProgress.PENDING || standing.isOpen());
  }

  /// All batches have passed, and no remaining node is expected any more.
  boolean isComplete() {
    if (muster.passed() < spec.batches() || new InFlightBudget(muster).isHeld()) {
      return false;
    }
    List<NodeId> offline = new LateNodes(muster).pending();
    List<NodeId> open =
        muster.listed().stream()
            .filter(it -> it.getValue().standing().isOpen())
            .map(Entry::getKey)
            .toList();
    boolean nobody = offline.isEmpty() && open.isEmpty();
    return nobody
        || (muster.isBatchOlderThan(spec.times().laneWait())
            && offline.stream().noneMatch(muster::isPresent)
            && open.stream().allMatch(this::isGivenUp));
  }

  /// By then a silent node that was ordered to run the release has rolled back by its own deadline.
  private boolean isGivenUp(NodeId node) {
    boolean flying = muster.standing(node).isFlying();
    return !muster.isPresent(node)
        && (!flying || muster.isOverdue(node, spec.times().settleWithin()));
  }

  /// The rollout ends without these nodes; if they return, they roll back.
  void giveUp() {
    for (Entry<NodeId, NodeEntry> it : muster.listed()) {
      switch (it.getValue().standing()) {
        case PREPARING, APPLYING, CONFIRMING -> muster.move(it.getKey(), NodeProgress.LOST);
        default -> {}
      }
    }
  }
}
