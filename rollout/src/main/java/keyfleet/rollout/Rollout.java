package keyfleet.rollout;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/// A release on its way to the nodes of a plan. The transitions are drawn in the package's
/// description. `now` is the elapsed time of whoever drives it.
public sealed interface Rollout {
  /// Nobody has driven it yet.
  record Created(Run run) implements Rollout {}

  /// One that a driver must go on with.
  sealed interface Driven extends Rollout {
    @Override
    Driven with(Run run);
  }

  record Rolling(Run run) implements Driven {
    @Override
    public Rolling with(Run next) {
      return new Rolling(next);
    }
  }

  /// No new step is taken; who has soaked is confirmed (R19).
  record Paused(Run run, Cause cause) implements Driven {
    @Override
    public Paused with(Run next) {
      return new Paused(next, cause);
    }

    /// R24: who has soaked is not confirmed either.
    boolean isSafeHold() {
      return cause == Cause.STORE_LOST;
    }
  }

  /// Who is on the way goes back; it is not over while anyone of [Ledger#awaited] is silent.
  record Aborting(Run run, Recall recall) implements Driven {
    @Override
    public Aborting with(Run next) {
      return new Aborting(next, recall);
    }
  }

  record Aborted(Run run, Cause cause) implements Rollout {}

  record RolledBack(Run run) implements Rollout {}

  record Completed(Run run) implements Rollout {}

  Run run();

  /// The same state of another run; one that is over stays as it is.
  default Rollout with(Run next) {
    return this;
  }

  static Rollout next(Rollout rollout, RolloutEvent event, Duration now) {
    return RolloutSteps.next(rollout, event, now);
  }

  static boolean isEnded(Rollout rollout) {
    return rollout instanceof Aborted
        || rollout instanceof RolledBack
        || rollout instanceof Completed;
  }

  /// Whether it can go on only after a driver has won a new epoch: it was never driven, or it stops
  /// and no command of an older lead may be obeyed any more (R18).
  static boolean wantsLead(Rollout rollout) {
    return switch (rollout) {
      case Created _ -> true;
      case Aborting(var run, var recall) -> run.lead().epoch() < recall.fence();
      case Rolling(var run) -> run.lead().equals(Lead.NOBODY);
      case Paused(var run, _) -> run.lead().equals(Lead.NOBODY);
      case Aborted _, RolledBack _, Completed _ -> false;
    };
  }

  /// Why nothing new is begun though nobody has paused the rollout; empty if it goes on.
  static Optional<String> hold(Rollout rollout) {
    if (rollout instanceof Paused paused && paused.isSafeHold()) {
      return Optional.of("the store went back; the nodes' reports are taken over, resume to go on");
    }
    if (rollout instanceof Paused paused && paused.cause() == Cause.INFRASTRUCTURE) {
      return Optional.of(
          "a node could not get or keep the release; its report says why, resume to go on");
    }
    if (!(rollout instanceof Rolling(var run)) || !run.outlook().looked()) {
      return Optional.empty();
    }
    Muster muster = new Muster(run, Duration.ZERO);
    Room room = new Room(muster);
    if (room.isHeld()) {
      return Optional.of(room.words());
    }
    if (muster.lacksCanaries()) {
      return Optional.of(
          "no canary is left: each is another rollout's, was left out, or was forgotten");
    }
    List<NodeId> idle = muster.idleCanaries();
    return idle.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "canaries are silent or were given up; forget them, or abort: "
                + idle.stream().map(NodeId::value).collect(Collectors.joining(", ")));
  }

  /// Whether a node has obeyed what the rollout, as it is stored, has not decided: then the store
  /// has lost it (R24).
  static boolean isBehind(Rollout rollout, List<NodeReport> reports) {
    return (rollout instanceof Created || rollout instanceof Rolling || rollout instanceof Paused)
        && new Recovery(rollout.run()).isBehind(reports);
  }

  /// What a node should do. A function of state alone, so it is always safe to send again (R12).
  static Optional<Assignment> desired(Rollout rollout, NodeId node) {
    Place place = rollout.run().ledger().places().get(node);
    boolean held = rollout instanceof Paused paused && paused.isSafeHold();
    return place == null || wantsLead(rollout) || held
        ? Optional.empty()
        : goal(rollout, place.standing())
            .map(goal -> new Assignment(rollout.run().spec().task(place.attempt()), goal));
  }

  /// The nodes that have something to be told. Those that are confirmed or reverted have been told.
  static Map<NodeId, Assignment> orders(Rollout rollout) {
    Map<NodeId, Assignment> orders = new LinkedHashMap<>();
    rollout
        .run()
        .ledger()
        .places()
        .forEach((node, place) -> {
          Standing standing = place.standing();
          if (standing != Standing.CONFIRMED && standing != Standing.REVERTED) {
            desired(rollout, node).ifPresent(order -> orders.put(node, order));
          }
        });
    return orders;
  }

  private static Optional<Goal> goal(Rollout rollout, Standing standing) {
    return switch (standing) {
      case PENDING, PENDING_OFFLINE, EXCLUDED, OCCUPIED, WAITING -> Optional.empty();
      case PREPARING -> Optional.of(Goal.STAGED);
      case APPLYING -> Optional.of(Goal.APPLIED);
      case CONFIRMING, CONFIRMED -> Optional.of(Goal.CONFIRMED);
      case FAILING, FAILED, LOST, RECALLING, RECALLED -> Optional.of(Goal.ROLLED_BACK);
      case REVERTING, REVERTED, KEPT -> Optional.of(Goal.REVERTED);
      case FORGOTTEN -> Optional.of(isRevert(rollout) ? Goal.REVERTED : Goal.ROLLED_BACK);
    };
  }

  private static boolean isRevert(Rollout rollout) {
    return rollout instanceof RolledBack
        || (rollout instanceof Aborting(_, var recall) && recall.goal() == Goal.REVERTED);
  }

  /// When time alone can next change this rollout; empty if only an event can. One that is under
  /// way is to be looked at again before.
  static Optional<Duration> wakeAt(Rollout rollout) {
    return RolloutSteps.wakeAt(rollout);
  }
}
