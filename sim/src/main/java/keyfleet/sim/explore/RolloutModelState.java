package keyfleet.sim.explore;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.controller.NodeEntry;
import keyfleet.rollout.controller.NodeProgress;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.Rollout.Aborted;
import keyfleet.rollout.controller.RolloutEvent.AbortRequested;
import keyfleet.rollout.controller.RolloutEvent.Claimed;
import keyfleet.rollout.controller.RolloutEvent.Observed;
import keyfleet.rollout.controller.RolloutEvent.RollbackRequested;
import keyfleet.rollout.controller.RolloutProgress;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.Node.Preparing;
import keyfleet.rollout.node.Node.RolledBack;
import keyfleet.rollout.node.Node.RollingBack;
import keyfleet.rollout.node.Node.Tasked;
import keyfleet.rollout.node.Node.Unconfirmed;
import keyfleet.rollout.plan.NodeStatus;
import keyfleet.rollout.plan.NodeStatus.Presence;
import keyfleet.rollout.target.Facts;
import keyfleet.sim.explore.Explorer.Step;

/// A fleet during a rollout: the control record, the desired states, nodes and drivers. Time does
/// not pass: no wait of a driver ends, a soak is one probe, and a deadline is a fault like any
/// other.
///
/// @param decision how often the control record was changed
/// @param desiredStates the stored desired state of each node
/// @param faults how many faults may still happen
/// @param aborts how many aborts operators may still order
/// @param rollbacks how many rollbacks operators may still order, also after the end
public record RolloutModelState(
    Rollout control,
    long decision,
    Map<NodeId, DesiredState> desiredStates,
    List<WatchdogState> watchdogs,
    List<DriverState> drivers,
    int faults,
    int aborts,
    int rollbacks,
    RolloutProtocol protocol)
    implements Explorer.State<RolloutModelState> {
  private static final NodeStatus.Report HEALTHY =
      new NodeStatus.Reported(NodeStatus.Health.HEALTHY, 1);

  /// A driver, and the desired states that it has decided but not written yet. It may be superseded
  /// before it writes them.
  public record DriverState(DriverClaim driverClaim, Map<NodeId, DesiredState> outbox) {
    public DriverState {
      outbox = Map.copyOf(outbox);
    }
  }

  public RolloutModelState {
    desiredStates = Map.copyOf(desiredStates);
    watchdogs = List.copyOf(watchdogs);
    drivers = List.copyOf(drivers);
  }

  /// I6: a limited number of nodes runs the release unconfirmed. I3: an aborted rollout is over.
  /// R8: a rolled back release runs nowhere. R11: no node is ordered to run what it has not staged.
  /// R12: an older driver does not overwrite a desired state that was obeyed. R13: a node fails by
  /// its own report.
  @Override
  public Optional<String> violation() {
    long unconfirmed = watchdogs.stream().filter(it -> mayRunUnconfirmed(it.node())).count();
    int limit = limit();
    if (unconfirmed > limit) {
      return Optional.of("I6: " + unconfirmed + " nodes run it unconfirmed; the limit is " + limit);
    }
    boolean stopped = control instanceof Aborted || control instanceof Rollout.RolledBack;
    if (stopped && watchdogs.stream().anyMatch(it -> it.node() instanceof Unconfirmed)) {
      return Optional.of("I3: the rollout has stopped, but a node goes forward");
    }
    if (control instanceof Rollout.RolledBack
        && watchdogs.stream().anyMatch(it -> it.node() instanceof Node.Confirmed)) {
      return Optional.of("R8: the rollout is rolled back, but a node keeps the release");
    }
    return watchdogs.stream()
        .map(WatchdogState::node)
        .flatMap(it -> violation(it).stream())
        .findFirst();
  }

  private Optional<String> violation(Node node) {
    NodeEntry nodeEntry = control.run().progress().entries().get(node.baseline().node());
    if (nodeEntry == null || !(node instanceof Tasked tasked)) {
      return Optional.empty();
    }
    DesiredState written = desiredStates.get(node.baseline().node());
    if (written != null && written.claim().epoch() < tasked.nodeTask().claim().epoch()) {
      return Optional.of("R12: an older driver has overwritten an order that was obeyed");
    }
    boolean isSameAttempt = tasked.nodeTask().task().attempt() == nodeEntry.attempt();
    if (nodeEntry.progress() == NodeProgress.APPLYING
        && isSameAttempt
        && node instanceof Preparing) {
      return Optional.of("R11: a node is ordered to run what it has not staged");
    }
    boolean failed = nodeEntry.progress() == NodeProgress.FAILED;
    return failed
            && isSameAttempt
            && !(node instanceof RolledBack r && r.rollbackReason() == RollbackReason.UNHEALTHY)
        ? Optional.of("R13: a node counts as failed without its own report")
        : Optional.empty();
  }

  private int limit() {
    var rolloutLimits = control.run().spec().limits();
    return rolloutLimits.batchSize() + rolloutLimits.maxUnavailable();
  }

  private static boolean mayRunUnconfirmed(Node node) {
    return node instanceof Unconfirmed
        || (node instanceof RollingBack rollingBack && rollingBack.undo() == Node.Undo.SWAP_BACK);
  }

  @Override
  public List<Step<RolloutModelState>> steps() {
    List<Step<RolloutModelState>> steps = new ArrayList<>();
    for (int n = 0; n < watchdogs.size(); n++) {
      new WatchdogSteps(this, n).addTo(steps);
    }
    for (int d = 0; d < drivers.size(); d++) {
      new RolloutDriverSteps(this, d).addTo(steps);
    }
    return steps;
  }

  boolean isOver() {
    return Rollout.isEnded(control);
  }

  /// A claim of the first free epoch.
  DriverClaim nextLease() {
    long highest = drivers.stream().mapToLong(it -> it.driverClaim().epoch()).max().orElse(0);
    long next = Math.max(highest, control.run().claim().epoch()) + 1;
    return new DriverClaim(next, "nonce-" + next);
  }

  Observed observed() {
    Set<NodeId> present = new HashSet<>();
    List<NodeReport> reports = new ArrayList<>();
    for (WatchdogState watchdog : watchdogs) {
      if (watchdog.isConnected()) {
        present.add(watchdog.node().baseline().node());
      }
      NodeReport reported = watchdog.reported();
      if (reported != null) {
        reports.add(reported);
      }
    }
    return protocol.observe(new Observed(present, reports, candidates(present)));
  }

  /// Every candidate passes preflight.
  private List<NodeStatus> candidates(Set<NodeId> present) {
    return control.run().startCandidates(present).stream()
        .map(node -> new NodeStatus(node, Presence.ONLINE, HEALTHY, Facts.NONE))
        .toList();
  }

  RolloutModelState withClaim(int driver, DriverClaim driverClaim) {
    return withLease(driver, driverClaim)
        .withControl(protocol.next(control, new Claimed(driverClaim)));
  }

  RolloutModelState withAbort(int driver, DriverClaim driverClaim) {
    RolloutModelState leading =
        withLease(driver, driverClaim)
            .withControl(protocol.next(control, new AbortRequested(driverClaim)));
    return new RolloutModelState(
        leading.control,
        leading.decision,
        desiredStates,
        watchdogs,
        leading.drivers,
        faults,
        aborts - 1,
        rollbacks,
        protocol);
  }

  RolloutModelState withRollback(int driver, DriverClaim driverClaim) {
    RolloutModelState leading =
        withLease(driver, driverClaim)
            .withControl(protocol.next(control, new RollbackRequested(driverClaim)));
    return new RolloutModelState(
        leading.control,
        leading.decision,
        desiredStates,
        watchdogs,
        leading.drivers,
        faults,
        aborts,
        rollbacks - 1,
        protocol);
  }

  private RolloutModelState withLease(int driver, DriverClaim driverClaim) {
    return withDriver(driver, new DriverState(driverClaim, drivers.get(driver).outbox()));
  }

  /// The observations of a driver are its own and are not stored.
  RolloutModelState withControl(Rollout next) {
    var rolloutRun = next.run();
    Rollout stored =
        next.with(
            keyfleet.rollout.controller.RolloutRun.of(
                rolloutRun.spec(), rolloutRun.claim(), rolloutRun.progress()));
    return new RolloutModelState(
        stored,
        stored.equals(control) ? decision : decision + 1,
        desiredStates,
        watchdogs,
        drivers,
        faults,
        aborts,
        rollbacks,
        protocol);
  }

  RolloutModelState withDriver(int index, DriverState next) {
    List<DriverState> changed = new ArrayList<>(drivers);
    changed.set(index, next);
    return new RolloutModelState(
        control, decision, desiredStates, watchdogs, changed, faults, aborts, rollbacks, protocol);
  }

  RolloutModelState withNode(int index, WatchdogState next) {
    List<WatchdogState> changed = new ArrayList<>(watchdogs);
    changed.set(index, next);
    return new RolloutModelState(
        control, decision, desiredStates, changed, drivers, faults, aborts, rollbacks, protocol);
  }

  RolloutModelState withDesired(Map<NodeId, DesiredState> next) {
    return new RolloutModelState(
        control, decision, next, watchdogs, drivers, faults, aborts, rollbacks, protocol);
  }

  RolloutModelState withOneFaultLess() {
    return new RolloutModelState(
        control,
        decision,
        desiredStates,
        watchdogs,
        drivers,
        faults - 1,
        aborts,
        rollbacks,
        protocol);
  }

  /// Mixes what differs most between states. Records with equal components have equal hashes
  /// whatever their type, so the types are mixed in.
  @Override
  public int hashCode() {
    RolloutProgress rolloutProgress = control.run().progress();
    int hash = 31 * control.getClass().hashCode() + rolloutProgress.hashCode();
    hash = mix(hash, (int) decision);
    for (WatchdogState watchdog : watchdogs) {
      hash = mix(hash, watchdog.node().getClass().hashCode());
      hash = mix(hash, watchdog.hashCode());
    }
    hash = mix(hash, desiredStates.hashCode());
    hash = mix(hash, drivers.hashCode());
    return mix(hash, 31 * (31 * faults + aborts) + rollbacks);
  }

  private static int mix(int hash, int part) {
    int product = (hash ^ part) * 0x9E3779B1;
    return product ^ product >>> 15;
  }
}
