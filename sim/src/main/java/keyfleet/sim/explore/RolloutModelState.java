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
import keyfleet.rollout.controller.RolloutRun;
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
/// @param allowance what may still happen
public record RolloutModelState(
    Rollout control,
    long decision,
    Map<NodeId, DesiredState> desiredStates,
    List<WatchdogState> watchdogs,
    List<DriverState> drivers,
    Allowance allowance,
    RolloutProtocol protocol)
    implements Explorer.State<RolloutModelState> {
  private static final NodeStatus.Report HEALTHY =
      new NodeStatus.Reported(NodeStatus.Health.HEALTHY, 1);

  /// How many faults may still happen, and how many aborts and rollbacks operators may still order;
  /// rollbacks also after the end.
  public record Allowance(int faults, int aborts, int rollbacks) {}

  /// A driver, and the desired states that it has decided but not written yet. It may be superseded
  /// before it writes them.
  public record DriverState(DriverClaim claim, Map<NodeId, DesiredState> outbox) {
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
    long unconfirmed = watchdogs.stream().filter(it -> canRunUnconfirmed(it.node())).count();
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
    NodeEntry entry = control.run().progress().entries().get(node.baseline().node());
    if (entry == null || !(node instanceof Tasked tasked)) {
      return Optional.empty();
    }
    DesiredState written = desiredStates.get(node.baseline().node());
    if (written != null && written.claim().epoch() < tasked.nodeTask().claim().epoch()) {
      return Optional.of("R12: an older driver has overwritten an order that was obeyed");
    }
    boolean isSameAttempt = tasked.nodeTask().task().attempt() == entry.attempt();
    if (entry.progress() == NodeProgress.APPLYING && isSameAttempt && node instanceof Preparing) {
      return Optional.of("R11: a node is ordered to run what it has not staged");
    }
    boolean failed = entry.progress() == NodeProgress.FAILED;
    return failed
            && isSameAttempt
            && !(node instanceof RolledBack r && r.rollbackReason() == RollbackReason.UNHEALTHY)
        ? Optional.of("R13: a node counts as failed without its own report")
        : Optional.empty();
  }

  private int limit() {
    var limits = control.run().spec().limits();
    return limits.batchSize() + limits.maxUnavailable();
  }

  private static boolean canRunUnconfirmed(Node node) {
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
  DriverClaim nextClaim() {
    long highest = drivers.stream().mapToLong(it -> it.claim().epoch()).max().orElse(0);
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

  RolloutModelState withClaim(int driver, DriverClaim claim) {
    return withLeader(driver, claim).withControl(protocol.next(control, new Claimed(claim)));
  }

  RolloutModelState withAbort(int driver, DriverClaim claim) {
    return withLeader(driver, claim)
        .withControl(protocol.next(control, new AbortRequested(claim)))
        .with(new Allowance(allowance.faults, allowance.aborts - 1, allowance.rollbacks));
  }

  RolloutModelState withRollback(int driver, DriverClaim claim) {
    return withLeader(driver, claim)
        .withControl(protocol.next(control, new RollbackRequested(claim)))
        .with(new Allowance(allowance.faults, allowance.aborts, allowance.rollbacks - 1));
  }

  private RolloutModelState withLeader(int driver, DriverClaim claim) {
    return withDriver(driver, new DriverState(claim, drivers.get(driver).outbox()));
  }

  /// The observations of a driver are its own and are not stored.
  RolloutModelState withControl(Rollout next) {
    var run = next.run();
    Rollout stored = next.with(RolloutRun.of(run.spec(), run.claim(), run.progress()));
    return new RolloutModelState(
        stored,
        stored.equals(control) ? decision : decision + 1,
        desiredStates,
        watchdogs,
        drivers,
        allowance,
        protocol);
  }

  RolloutModelState withDriver(int index, DriverState next) {
    List<DriverState> changed = new ArrayList<>(drivers);
    changed.set(index, next);
    return new RolloutModelState(
        control, decision, desiredStates, watchdogs, changed, allowance, protocol);
  }

  RolloutModelState withNode(int index, WatchdogState next) {
    List<WatchdogState> changed = new ArrayList<>(watchdogs);
    changed.set(index, next);
    return new RolloutModelState(
        control, decision, desiredStates, changed, drivers, allowance, protocol);
  }

  RolloutModelState withDesiredStates(Map<NodeId, DesiredState> next) {
    return new RolloutModelState(control, decision, next, watchdogs, drivers, allowance, protocol);
  }

  RolloutModelState withOneFewerFault() {
    return with(new Allowance(allowance.faults - 1, allowance.aborts, allowance.rollbacks));
  }

  private RolloutModelState with(Allowance rest) {
    return new RolloutModelState(
        control, decision, desiredStates, watchdogs, drivers, rest, protocol);
  }

  /// Mixes what differs most between states. Records with equal components have equal hashes
  /// whatever their type, so the types are mixed in.
  @Override
  public int hashCode() {
    RolloutProgress progress = control.run().progress();
    int hash = 31 * control.getClass().hashCode() + progress.hashCode();
    hash = mix(hash, (int) decision);
    for (WatchdogState watchdog : watchdogs) {
      hash = mix(hash, watchdog.node().getClass().hashCode());
      hash = mix(hash, watchdog.hashCode());
    }
    hash = mix(hash, desiredStates.hashCode());
    hash = mix(hash, drivers.hashCode());
    return mix(hash, 31 * (31 * allowance.faults + allowance.aborts) + allowance.rollbacks);
  }

  private static int mix(int hash, int part) {
    int product = (hash ^ part) * 0x9E3779B1;
    return product ^ product >>> 15;
  }
}
