package keyfleet.control.rollout;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import keyfleet.control.Failpoints;
import keyfleet.control.rollout.RolloutOperationResult.Done;
import keyfleet.control.rollout.RolloutOperationResult.NoSuchRollout;
import keyfleet.control.rollout.RolloutOperationResult.Refused;
import keyfleet.control.rollout.RolloutOperationResult.Unconfirmed;
import keyfleet.control.rollout.RolloutStore.StoredRollout;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.controller.NodeEntry;
import keyfleet.rollout.controller.NodeProgress;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutEvent;
import keyfleet.rollout.controller.RolloutEvent.AbortRequested;
import keyfleet.rollout.controller.RolloutEvent.ForgetRequested;
import keyfleet.rollout.controller.RolloutEvent.PauseRequested;
import keyfleet.rollout.controller.RolloutEvent.ResumeRequested;
import keyfleet.rollout.controller.RolloutEvent.RollbackRequested;
import keyfleet.rollout.controller.RolloutProgress;
import keyfleet.rollout.controller.RolloutRetry;
import keyfleet.rollout.controller.RolloutRun;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.plan.NodeStatus;
import keyfleet.store.Kv;
import keyfleet.store.WriteOutcome;
import keyfleet.wire.RolloutControlDocument;
import keyfleet.wire.RolloutKeys;
import keyfleet.wire.RolloutSpecDocument;

/// What an operator may order of a rollout, from any process, whoever drives it. Each order may be
/// given any number of times.
public final class RolloutOperations {
  /// How often an order is tried against a driver that changes the rollout at the same time.
  static final int MAX_TRIES = 10;

  private final String operator;
  private final RolloutStore store;
  private final NodeRegistry registry;

  public RolloutOperations(String operator, Kv kv, Supplier<String> nonces, Failpoints failpoints) {
    this.operator = operator;
    this.registry = new NodeRegistry(kv, failpoints);
    this.store = new RolloutStore(kv, failpoints, nonces);
  }

  /// A dry run is not started: it only makes the plan. Stored first is what never changes; the call
  /// for a driver comes last, so that nobody finds half a rollout.
  public RolloutOperationResult start(RolloutSpec spec) {
    Optional<String> tooLarge = tooLarge(spec);
    if (tooLarge.isPresent()) {
      return new Refused(tooLarge.get());
    }
    Rollout created =
        new Rollout.Created(RolloutRun.of(spec, DriverClaim.NONE, RolloutProgress.EMPTY));
    WriteOutcome first =
        store.create(RolloutKeys.spec(spec.id()), RolloutSpecDocument.toValue(spec));
    if (first instanceof WriteOutcome.Pending) {
      return new Unconfirmed(); // a control record without a spec could be read by nobody
    }
    if (first instanceof WriteOutcome.Superseded && !store.readSpec(spec.id()).equals(spec)) {
      return new Refused("there is another rollout " + spec.id());
    }
    WriteOutcome second =
        store.create(
            RolloutKeys.control(spec.id()),
            RolloutControlDocument.toValue(created, spec.incarnation()));
    if (second instanceof WriteOutcome.Pending) {
      return new Unconfirmed();
    }
    return store.read(spec.id()).map(this::requestDriverIfNone).orElse(new Unconfirmed());
  }

  /// Neither the plan nor what may become of each of its nodes may outgrow a value of the store.
  private static Optional<String> tooLarge(RolloutSpec spec) {
    SortedMap<NodeId, NodeEntry> nodeEntries = new TreeMap<>();
    RolloutProgress.EMPTY
        .progressByNode(spec)
        .keySet()
        .forEach(it ->
            nodeEntries.put(
                it, new NodeEntry(NodeProgress.PENDING_OFFLINE, spec.firstAttempt() + 1)));
    RolloutRun worst =
        RolloutRun.of(spec, DriverClaim.NONE, new RolloutProgress(0, 0, nodeEntries));
    try {
      RolloutSpecDocument.toValue(spec);
      RolloutControlDocument.toValue(new Rollout.Rolling(worst), spec.incarnation());
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(
          "%d nodes are too many for one rollout: %s"
              .formatted(nodeEntries.size(), e.getMessage()));
    }
  }

  /// R17: the nodes that failed in a rollout that has ended get its release offered once more, as
  /// the rollout `next`, in a later attempt.
  public RolloutOperationResult retry(RolloutId failed, RolloutId next) {
    Optional<StoredRollout> before = store.read(failed);
    if (before.isEmpty()) {
      return new NoSuchRollout();
    }
    Rollout ended = before.get().rollout();
    List<NodeStatus> inventory = registry.readInventory(ended.run().spec().component());
    return switch (RolloutRetry.of(ended, next, store.newNonce(), inventory)) {
      case RolloutRetry.Refused(var why) -> new Refused(why);
      case RolloutRetry.Ready(var spec) -> start(storedOr(spec));
    };
  }

  /// Ordered before, perhaps by somebody who did not get far; who is there may have changed since.
  private RolloutSpec storedOr(RolloutSpec wanted) {
    return store
        .findSpec(wanted.id())
        .filter(it -> it.eligibility().equals(wanted.eligibility()))
        .orElse(wanted);
  }

  public RolloutOperationResult pause(RolloutId id) {
    return decide(id, new PauseRequested(), Rollout.Paused.class::isInstance);
  }

  public RolloutOperationResult resume(RolloutId id) {
    return decide(
        id, new ResumeRequested(), it -> !(it instanceof Rollout.Paused) && !Rollout.isEnded(it));
  }

  /// The rollout keeps what is confirmed.
  public RolloutOperationResult abort(RolloutId id) {
    return stop(id, AbortRequested::new, RolloutOperations::isStopping);
  }

  /// The rollout keeps nothing.
  public RolloutOperationResult rollback(RolloutId id) {
    return stop(id, RollbackRequested::new, RolloutOperations::isReverting);
  }

  /// The node is dead, and nobody need wait for it.
  public RolloutOperationResult forget(RolloutId id, NodeId node) {
    return decide(id, new ForgetRequested(node), it -> isForgotten(it, node));
  }

  private static boolean isStopping(Rollout rollout) {
    return rollout instanceof Rollout.Aborting
        || rollout instanceof Rollout.Aborted
        || rollout instanceof Rollout.RolledBack;
  }

  private static boolean isReverting(Rollout rollout) {
    return rollout instanceof Rollout.RolledBack
        || (rollout instanceof Rollout.Aborting(_, var stopOrder)
            && stopOrder.goal() == Goal.REVERTED);
  }

  private static boolean isForgotten(Rollout rollout, NodeId node) {
    RolloutRun rolloutRun = rollout.run();
    return rolloutRun.progress().progressByNode(rolloutRun.spec()).get(node)
        == NodeProgress.FORGOTTEN;
  }

  /// Read, decide, compare and set.
  private RolloutOperationResult decide(
      RolloutId id, RolloutEvent event, Predicate<Rollout> isDone) {
    for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
      Optional<StoredRollout> storedRollout = store.read(id);
      if (storedRollout.isEmpty()) {
        return new NoSuchRollout();
      }
      Rollout next = Rollout.next(storedRollout.get().rollout(), event, Duration.ZERO);
      if (!isDone.test(next)) {
        return refused(storedRollout.get().rollout());
      }
      if (RolloutControlDocument.isSame(storedRollout.get().rollout(), next)
          || store.commit(storedRollout.get(), next).isPresent()) {
        return new Done(next);
      }
    }
    return new Unconfirmed();
  }

  /// R18: a new epoch first, so that no older command is obeyed; then a call for a driver, as that
  /// of the older epoch stops. An order that stands claims nothing.
  private RolloutOperationResult stop(
      RolloutId id, Function<DriverClaim, RolloutEvent> event, Predicate<Rollout> isDone) {
    for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
      Optional<StoredRollout> storedRollout = store.read(id);
      if (storedRollout.isEmpty()) {
        return new NoSuchRollout();
      }
      if (isDone.test(storedRollout.get().rollout())) {
        return requestDriverIfNone(storedRollout.get());
      }
      Optional<DriverClaim> driverClaim = store.claim(storedRollout.get(), operator);
      if (driverClaim.isPresent()) {
        Rollout next =
            Rollout.next(
                storedRollout.get().rollout(), event.apply(driverClaim.get()), Duration.ZERO);
        if (!isDone.test(next)) {
          return refused(next);
        }
        Optional<StoredRollout> committed = store.commit(storedRollout.get(), next);
        if (committed.isPresent()) {
          return requestDriver(committed.get());
        }
      }
    }
    return new Unconfirmed();
  }

  /// The driver before has just been fenced off.
  private RolloutOperationResult requestDriver(StoredRollout storedRollout) {
    boolean isRequested =
        Rollout.isEnded(storedRollout.rollout())
            || store.requestDriver(storedRollout.id(), operator) instanceof WriteOutcome.Applied;
    return isRequested ? new Done(storedRollout.rollout()) : new Unconfirmed();
  }

  /// It stood before. Whoever drives it is left in peace; should the call have been lost on the
  /// way, it is made now.
  private RolloutOperationResult requestDriverIfNone(StoredRollout storedRollout) {
    boolean isRequested =
        Rollout.isEnded(storedRollout.rollout())
            || !(store.requestFirstDriver(storedRollout.id(), operator)
                instanceof WriteOutcome.Pending);
    return isRequested ? new Done(storedRollout.rollout()) : new Unconfirmed();
  }

  private static RolloutOperationResult refused(Rollout rollout) {
    return new Refused(
        "rollout "
            + rollout.run().spec().id()
            + " is "
            + RolloutControlDocument.stateName(rollout));
  }
}
