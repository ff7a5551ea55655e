package keyfleet.rollout;

import java.time.Duration;
import java.util.List;
import java.util.Map.Entry;
import java.util.Optional;

/// The steps of a rollout that goes forward. What nodes said and what time did to them is judged
/// first; then every step that is allowed is taken, until none is left.
final class Advance {
  /// A node that is cut off in every attempt is given up, not tried for ever.
  static final int MAX_TRIES = 5;

  private static final Duration FOREVER = Duration.ofDays(365_000);

  private final Muster muster;
  private final RolloutSpec spec;
  private boolean starved;

  Advance(Muster muster) {
    this.muster = muster;
    this.spec = muster.spec();
  }

  /// Whether a node lacked the artifact, through no fault of the release (R14).
  boolean isStarved() {
    return starved;
  }

  /// R13: failed are distinct nodes. R14: one failed canary is too many, and so is what reaches a
  /// limit, of all nodes or of the batch that is on.
  boolean isFailing() {
    if (muster.count(it -> it.getValue().standing().isFailed()) == 0) {
      return false;
    }
    Ledger ledger = muster.ledger();
    return spec.plan().canaries().stream().anyMatch(node -> muster.standing(node).isFailed())
        || spec.limits().maxFailed().isReached(ledger.tally(spec))
        || spec.limits().maxFailedPerBatch().isReached(ledger.tally(spec, muster.currentBatch()));
  }

  void judge() {
    for (Entry<NodeId, Place> it : muster.listed()) {
      Standing standing = it.getValue().standing();
      if (standing == Standing.PREPARING || standing.isFlying()) {
        judge(it.getKey(), it.getValue());
      }
    }
  }

  private void judge(NodeId node, Place place) {
    Optional<NodeReport> report = muster.report(node, place);
    if (report.isPresent() && report.get().phase().isTerminal()) {
      muster.put(node, outcome(place, report.get()));
    } else if (muster.isPresent(node) && muster.isOverdue(node, allowed(node, place))) {
      // R13: it beats, so it could have answered. One that is silent is not failed.
      boolean mayRun = place.standing().isFlying();
      muster.move(node, mayRun ? Standing.FAILING : Standing.FAILED);
    }
  }

  /// R13: by its own word for this attempt.
  private Place outcome(Place place, NodeReport report) {
    if (report.phase() == Phase.CONFIRMED) {
      return place.in(Standing.CONFIRMED);
    }
    if (place.standing() == Standing.FAILING) {
      return place.in(Standing.FAILED);
    }
    return switch (report.setback()) {
      case UNHEALTHY, REFUSED -> place.in(Standing.FAILED);
      case INFRASTRUCTURE -> {
        starved = true;
        yield new Place(Standing.WAITING, place.attempt() + 1);
      }
      case UNCONFIRMED, ORDERED, NONE -> again(place);
    };
  }

  /// It was cut off; nothing is said against the release.
  private Place again(Place place) {
    return place.attempt() - spec.attempt() + 1 < MAX_TRIES
        ? new Place(Standing.WAITING, place.attempt() + 1)
        : place.in(Standing.LOST);
  }

  private Duration allowed(NodeId node, Place place) {
    boolean staged = place.standing() == Standing.PREPARING && isStaged(node, place);
    if (staged || place.standing() == Standing.FAILING) {
      return FOREVER; // it waits for us, or can do no worse
    }
    return place.standing() == Standing.PREPARING
        ? spec.times().prepareWithin()
        : spec.times().settleWithin();
  }

  private boolean isStaged(NodeId node, Place place) {
    return muster
        .report(node, place)
        .map(NodeReport::phase)
        .filter(it -> it != Phase.PREPARING && it != Phase.ROLLING_BACK)
        .isPresent();
  }

  /// R7, R19: whoever has soaked is confirmed, also while paused, or its deadline would undo it.
  void confirm() {
    for (Entry<NodeId, Place> it : muster.listed()) {
      boolean soaked =
          it.getValue().standing() == Standing.APPLYING
              && muster
                  .report(it.getKey(), it.getValue())
                  .filter(report -> report.phase() == Phase.SOAKED)
                  .isPresent();
      if (soaked) {
        muster.move(it.getKey(), Standing.CONFIRMING);
      }
    }
  }

  /// Takes new steps until none is allowed.
  void proceed() {
    Lane lane = new Lane(muster);
    lane.enlist();
    askCanariesAgain();
    do {
      Room room = new Room(muster);
      if (!room.isHeld()) {
        Turn turn = new Turn(muster, room);
        apply(room);
        start(turn);
        lane.start(turn);
      }
    } while (passes());
  }

  /// R4: nobody goes on without a canary, and the rollout that has them may have let one go.
  private void askCanariesAgain() {
    if (!muster.lacksCanaries()) {
      return;
    }
    for (NodeId node : spec.batch(muster.passed())) {
      boolean due =
          muster.standing(node) == Standing.OCCUPIED
              && muster.isPresent(node)
              && muster.isOverdue(node, spec.times().stale());
      if (due) {
        muster.move(node, Standing.WAITING);
      }
    }
  }

  /// Committed only after the node's own word that it has staged.
  private void apply(Room room) {
    for (Entry<NodeId, Place> it : muster.listed()) {
      NodeId node = it.getKey();
      boolean ready =
          it.getValue().standing() == Standing.PREPARING
              && muster.isPresent(node)
              && isStaged(node, it.getValue());
      if (ready && room.takeFlight()) {
        muster.move(node, Standing.APPLYING);
      }
    }
  }

  private void start(Turn turn) {
    if (muster.passed() < spec.batches() && !isResting()) {
      spec.batch(muster.passed()).forEach(node -> turn.take(node, Standing.PENDING));
    }
    muster.listed().forEach(it -> turn.take(it.getKey(), Standing.WAITING));
  }

  /// Between two batches, as long as nobody of the next has begun.
  private boolean isResting() {
    List<NodeId> batch = spec.batch(muster.passed());
    return muster.passed() > 0
        && !muster.isBatchOlderThan(spec.times().batchPause())
        && batch.stream().allMatch(node -> hasNotBegun(muster.standing(node)));
  }

  private static boolean hasNotBegun(Standing standing) {
    return standing == Standing.PENDING || standing.isLeftOut();
  }

  private boolean passes() {
    if (muster.passed() == spec.batches() || isResting() || new Room(muster).isHeld()) {
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

  /// R14: no canary may be missing, unless it was left out in words, and one at least must have
  /// confirmed.
  private boolean canariesAreThrough(List<NodeId> canaries) {
    List<Standing> standings = canaries.stream().map(muster::standing).toList();
    return standings.contains(Standing.CONFIRMED)
        && standings.stream().allMatch(it -> it == Standing.CONFIRMED || it.isLeftOut());
  }

  /// Whoever is silent does not keep the others waiting; how many may be is [Room#isHeld]'s.
  private boolean isUnderWay(NodeId node) {
    Standing standing = muster.standing(node);
    return muster.isPresent(node) && (standing == Standing.PENDING || standing.isOpen());
  }

  /// All batches have passed, and nobody who was left behind can be expected any more.
  boolean isComplete() {
    if (muster.passed() < spec.batches() || new Room(muster).isHeld()) {
      return false;
    }
    List<NodeId> offline = new Lane(muster).pending();
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

  /// A silent node that was told to run the release has gone back by its own deadline by then.
  private boolean isGivenUp(NodeId node) {
    boolean flying = muster.standing(node).isFlying();
    return !muster.isPresent(node)
        && (!flying || muster.isOverdue(node, spec.times().settleWithin()));
  }

  /// The rollout ends without them: should they return, they go back.
  void giveUp() {
    for (Entry<NodeId, Place> it : muster.listed()) {
      switch (it.getValue().standing()) {
        case PREPARING, APPLYING, CONFIRMING -> muster.move(it.getKey(), Standing.LOST);
        default -> {}
      }
    }
  }
}
