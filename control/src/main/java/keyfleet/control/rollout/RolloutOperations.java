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

/// The operations of an operator on a rollout, from any process, with or without a driver. Each can
/// be repeated.
public final class RolloutOperations {
  /// How often an operation is tried while a driver changes the rollout.
  static final int MAX_TRIES = 10;

  private final String operator;
  private final RolloutStore store;
  private final NodeRegistry registry;

  public RolloutOperations(String operator, Kv kv, Supplier<String> nonces, Failpoints failpoints) {
    this.operator = operator;
    this.registry = new NodeRegistry(kv, failpoints);
    this.store = new RolloutStore(kv, failpoints, nonces);
  }

  /// Starts a rollout. The caller of a dry run must not call this. The spec, which never changes,
  /// is stored first. The request for a driver is last, so that no driver finds half a rollout.
  public RolloutOperationResult start(RolloutSpec spec) {
    Optional<String> objection = sizeObjection(spec);
    if (objection.isPresent()) {
      return new Refused(objection.get());
    }
    Rollout created =
        new Rollout.Created(RolloutRun.of(spec, DriverClaim.NONE, RolloutProgress.EMPTY));
    WriteOutcome first =
        store.create(RolloutKeys.spec(spec.id()), RolloutSpecDocument.toValue(spec));
    if (first instanceof WriteOutcome.Pending) {
      return new Unconfirmed(); // no process could read a control record without a spec
    }
    if (first instanceof WriteOutcome.Superseded && !store.readSpec(spec.id()).equals(spec)) {
      return new Refused("rollout " + spec.id() + " already exists with another plan");
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

  /// Neither the plan nor the control record at its largest may exceed a value of the store.
  private static Optional<String> sizeObjection(RolloutSpec spec) {
    SortedMap<NodeId, NodeEntry> entries = new TreeMap<>();
    RolloutProgress.EMPTY
        .progressByNode(spec)
        .keySet()
        .forEach(it ->
            entries.put(it, new NodeEntry(NodeProgress.PENDING_OFFLINE, spec.firstAttempt() + 1)));
    RolloutRun worst = RolloutRun.of(spec, DriverClaim.NONE, new RolloutProgress(0, 0, entries));
    try {
      RolloutSpecDocument.toValue(spec);
      RolloutControlDocument.toValue(new Rollout.Rolling(worst), spec.incarnation());
      return Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.of(
          "%d nodes are too many for one rollout: %s".formatted(entries.size(), e.getMessage()));
    }
  }

  /// R17: offers the release of an ended rollout to its failed nodes again, in a later attempt, as
  /// the rollout `next`.
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

  /// An earlier retry may have stored its spec and then crashed; the inventory may have changed
  /// since.
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

  /// Confirmed nodes keep the release.
  public RolloutOperationResult abort(RolloutId id) {
    return stop(id, AbortRequested::new, RolloutOperations::isStopping);
  }

  /// Confirmed nodes go back as well.
  public RolloutOperationResult rollback(RolloutId id) {
    return stop(id, RollbackRequested::new, RolloutOperations::isReverting);
  }

  /// The node is dead: the rollout no longer waits for it.
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
    RolloutRun run = rollout.run();
    return run.progress().progressByNode(run.spec()).get(node) == NodeProgress.FORGOTTEN;
  }

  /// Reads, decides, and writes with compare-and-set.
  private RolloutOperationResult decide(
      RolloutId id, RolloutEvent event, Predicate<Rollout> isDone) {
    for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
      Optional<StoredRollout> stored = store.read(id);
      if (stored.isEmpty()) {
        return new NoSuchRollout();
      }
      Rollout next = Rollout.next(stored.get().rollout(), event, Duration.ZERO);
      if (!isDone.test(next)) {
        return refusal(stored.get().rollout());
      }
      if (RolloutControlDocument.isSame(stored.get().rollout(), next)
          || store.commit(stored.get(), next).isPresent()) {
        return new Done(next);
      }
    }
    return new Unconfirmed();
  }

  /// R18: claims an epoch first, so that nodes obey no older command; then requests a driver,
  /// because the driver of the older epoch stops. If the rollout is already in the requested state,
  /// no epoch is claimed.
  private RolloutOperationResult stop(
      RolloutId id, Function<DriverClaim, RolloutEvent> event, Predicate<Rollout> isDone) {
    for (int attempt = 0; attempt < MAX_TRIES; attempt++) {
      Optional<StoredRollout> stored = store.read(id);
      if (stored.isEmpty()) {
        return new NoSuchRollout();
      }
      if (isDone.test(stored.get().rollout())) {
        return requestDriverIfNone(stored.get());
      }
      Optional<DriverClaim> claim = store.claim(stored.get(), operator);
      if (claim.isPresent()) {
        Rollout next =
            Rollout.next(stored.get().rollout(), event.apply(claim.get()), Duration.ZERO);
        if (!isDone.test(next)) {
          return refusal(next);
        }
        Optional<StoredRollout> committed = store.commit(stored.get(), next);
        if (committed.isPresent()) {
          return requestDriver(committed.get());
        }
      }
    }
    return new Unconfirmed();
  }

  /// The claim has just fenced off the driver, so a new one is needed.
  private RolloutOperationResult requestDriver(StoredRollout stored) {
    boolean isRequested =
        Rollout.isEnded(stored.rollout())
            || store.requestDriver(stored.id(), operator) instanceof WriteOutcome.Applied;
    return isRequested ? new Done(stored.rollout()) : new Unconfirmed();
  }

  /// The rollout was already in the requested state. A present driver continues; if the request for
  /// one was lost, it is made now.
  private RolloutOperationResult requestDriverIfNone(StoredRollout stored) {
    boolean isRequested =
        Rollout.isEnded(stored.rollout())
            || !(store.requestDriverIfNone(stored.id(), operator) instanceof WriteOutcome.Pending);
    return isRequested ? new Done(stored.rollout()) : new Unconfirmed();
  }

  private static RolloutOperationResult refusal(Rollout rollout) {
    return new Refused(
        "rollout "
            + rollout.run().spec().id()
            + " is "
            + RolloutControlDocument.stateName(rollout));
  }
}
