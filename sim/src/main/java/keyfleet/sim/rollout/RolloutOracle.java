package keyfleet.sim.rollout;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.controller.FailureLimit;
import keyfleet.rollout.controller.NodeEntry;
import keyfleet.rollout.controller.NodeProgress;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.node.JournalEntry;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.Node.Confirmed;
import keyfleet.rollout.node.NodeTask;
import keyfleet.sim.fleet.InvariantViolation;
import keyfleet.sim.host.SimulatedHost;
import keyfleet.sim.host.VirtualTimeScheduler;
import keyfleet.store.Key;
import org.jspecify.annotations.Nullable;

/// Checks the invariants of nodes and rollouts. It sees every write to the store and every effect
/// on a node.
final class RolloutOracle {
  static final Sha256 OLD_RELEASE = new Sha256("0".repeat(64));
  static final Sha256 NEW_RELEASE = new Sha256("1".repeat(64));

  /// The phases that a node enters only by order.
  private static final Set<NodePhase> ORDERED_PHASES =
      Set.of(NodePhase.PREPARING, NodePhase.APPLYING, NodePhase.CONFIRMED);

  /// The states of nodes that have received no order, or do not count.
  private static final Set<NodeProgress> UNTRIED =
      Set.of(
          NodeProgress.PENDING,
          NodeProgress.PENDING_OFFLINE,
          NodeProgress.EXCLUDED,
          NodeProgress.OCCUPIED,
          NodeProgress.WAITING,
          NodeProgress.FORGOTTEN);

  /// The states in which a node is as it was before the rollout; it may have had the release
  /// already.
  private static final Set<NodeProgress> RESTORED =
      Set.of(
          NodeProgress.PENDING,
          NodeProgress.PENDING_OFFLINE,
          NodeProgress.EXCLUDED,
          NodeProgress.FAILED,
          NodeProgress.RECALLED,
          NodeProgress.REVERTED);

  /// A watchdog ticks at least once a minute, and needs a few ticks to roll back.
  private static final long DEADLINE_SLACK = 75 * VirtualTimeScheduler.SECOND;

  /// What one node did in one rollout.
  private static final class RolloutObservations {
    private final Set<Integer> swappedAttempts = new HashSet<>();
    private NodePhase phase = NodePhase.REVERTED;
    private long highestEpochRead;
    private long lastEpochRead;
    private long highestEpoch;
  }

  /// What one node did in all rollouts.
  private static final class NodeObservations {
    private final Map<RolloutId, RolloutObservations> rollouts = new HashMap<>();
    private long unconfirmedSince = Long.MAX_VALUE;
    private long overdueSince = Long.MAX_VALUE;

    private RolloutObservations rollout(RolloutId rollout) {
      return rollouts.computeIfAbsent(rollout, _ -> new RolloutObservations());
    }
  }

  private final VirtualTimeScheduler scheduler;
  private final RolloutSpec spec;
  private final Set<NodeId> brokenNodes;
  private final Set<NodeId> lateNodes;
  private final Set<NodeId> outdatedNodes;
  private final RolloutScenario.SecondRollout secondRollout;
  private final Circumstances circumstances;
  private final Map<NodeId, NodeObservations> observationsByNode = new HashMap<>();
  private final Map<Key, DesiredState> desiredStates = new HashMap<>();
  private final Map<RolloutId, Long> highestEpochs = new HashMap<>();
  private final Set<RolloutId> stopped = new HashSet<>();
  private final Set<NodeId> quarantined = new HashSet<>();

  /// The circumstances under which a failure is allowed.
  interface Circumstances {
    /// Whether at least one driver had no fault.
    boolean hasSteadyDriver();

    /// Whether a present node may exceed its deadlines because every effect of its watchdog takes
    /// seconds. Such a node rightly counts as failed (R13).
    boolean isSlow(NodeId node);
  }

  RolloutOracle(
      VirtualTimeScheduler scheduler, RolloutScenario scenario, Circumstances circumstances) {
    this.scheduler = scheduler;
    this.spec = scenario.spec();
    this.brokenNodes = scenario.brokenNodes();
    this.lateNodes = scenario.lateNodes();
    this.outdatedNodes = scenario.outdatedNodes();
    this.secondRollout = scenario.secondRollout();
    this.circumstances = circumstances;
  }

  private NodeObservations observations(WatchdogProcess node) {
    return observationsByNode.computeIfAbsent(node.id(), _ -> new NodeObservations());
  }

  /// A node has read its desired state.
  void observeDesiredRead(WatchdogProcess node, DesiredState desiredState) {
    RolloutObservations observed = observations(node).rollout(desiredState.task().rollout());
    observed.lastEpochRead = desiredState.claim().epoch();
    observed.highestEpochRead = Math.max(observed.highestEpochRead, observed.lastEpochRead);
  }

  /// A node has written its journal.
  void observeJournal(WatchdogProcess node, JournalEntry entry) {
    if (!(entry.node() instanceof Node.Tasked tasked)) {
      return;
    }
    NodeObservations observed = observations(node);
    requireHighest(node, observed.rollout(tasked.nodeTask().task().rollout()), tasked);
    boolean isUnconfirmed =
        tasked instanceof Node.RolledBack back
            && back.rollbackReason() == RollbackReason.UNCONFIRMED;
    if (isUnconfirmed && !node.host().hasHadFault() && circumstances.hasSteadyDriver()) {
      throw new InvariantViolation("H6", node.id() + " was always reachable but was not confirmed");
    }
    boolean isConfirmation =
        tasked instanceof Confirmed && observed.unconfirmedSince != Long.MAX_VALUE;
    if (isConfirmation
        && !node.host().clock().hasBeenWrong()
        && soakedFor(observed) < spec.timings().soak().toNanos()) {
      throw new InvariantViolation("I5", node.id() + " is confirmed before its soak has passed");
    }
    if (tasked instanceof Confirmed) {
      observed.unconfirmedSince = Long.MAX_VALUE;
    }
  }

  /// P9: an order of a driver with a lower epoch moves no node.
  private static void requireHighest(
      WatchdogProcess node, RolloutObservations observed, Node.Tasked tasked) {
    long epoch = tasked.nodeTask().claim().epoch();
    NodePhase phase = Node.phase(tasked);
    boolean moved = phase != observed.phase && ORDERED_PHASES.contains(phase);
    boolean isLate = moved && observed.lastEpochRead < observed.highestEpochRead;
    if (isLate || epoch < observed.highestEpoch) {
      throw new InvariantViolation(
          "P9",
          "%s becomes %s by order of epoch %d after epoch %d"
              .formatted(node.id(), phase, observed.lastEpochRead, observed.highestEpochRead));
    }
    observed.phase = phase;
    observed.highestEpoch = epoch;
  }

  private long soakedFor(NodeObservations observed) {
    return scheduler.now() - observed.unconfirmedSince;
  }

  /// A node has changed its release.
  void observeRelease(WatchdogProcess node, Sha256 release) {
    NodeObservations observed = observations(node);
    if (!release.equals(NEW_RELEASE)) {
      observed.unconfirmedSince = Long.MAX_VALUE;
      return;
    }
    observed.unconfirmedSince = scheduler.now();
    NodeTask nodeTask =
        node.nodeTask()
            .orElseThrow(() -> new InvariantViolation("I9", "a node swapped without an order"));
    RolloutId rollout = nodeTask.task().rollout();
    if (!observed.rollout(rollout).swappedAttempts.add(nodeTask.task().attempt())) {
      throw new InvariantViolation(
          "I2", "%s swaps twice in attempt %d".formatted(node.id(), nodeTask.task().attempt()));
    }
    requireAdmitted(node.id(), rollout);
    if (stopped.contains(rollout) || nodeTask.direction() == NodeTask.Direction.TURNED) {
      throw new InvariantViolation("I3", node.id() + " goes forward after the abort");
    }
  }

  /// R16: a node that was absent at the start is checked when it comes. R17: a node that rolled a
  /// release back does not get it again without an order.
  private void requireAdmitted(NodeId node, RolloutId rollout) {
    if (outdatedNodes.contains(node)) {
      throw new InvariantViolation("R16", node + " speaks too old a protocol but gets the release");
    }
    boolean repeats =
        rollout.equals(RolloutScenario.SECOND_ROLLOUT)
            && secondRollout == RolloutScenario.SecondRollout.REPEATED;
    if (repeats && quarantined.contains(node)) {
      throw new InvariantViolation("R17", node + " has rolled the release back but gets it again");
    }
  }

  /// P7 and P8.
  void check(Collection<WatchdogProcess> nodes) {
    int unconfirmed = 0;
    for (WatchdogProcess node : nodes) {
      if (observations(node).unconfirmedSince != Long.MAX_VALUE) {
        unconfirmed++;
        requireInTime(node);
      } else {
        observations(node).overdueSince = Long.MAX_VALUE;
      }
    }
    int limit = spec.limits().batchSize() + spec.limits().maxUnavailable();
    if (unconfirmed > limit) {
      throw new InvariantViolation(
          "P7",
          "%d nodes run the release unconfirmed; the limit is %d".formatted(unconfirmed, limit));
    }
  }

  /// Time counts against a watchdog only while its process can act.
  private void requireInTime(WatchdogProcess node) {
    NodeObservations observed = observations(node);
    boolean isLate = soakedFor(observed) > spec.timings().confirmWithin().toNanos();
    SimulatedHost host = node.host();
    boolean canAct =
        host.isUp() && !host.isPaused() && !host.isAsleep() && !host.clock().hasBeenWrong();
    if (!isLate || !canAct) {
      observed.overdueSince = Long.MAX_VALUE;
    } else if (observed.overdueSince == Long.MAX_VALUE) {
      observed.overdueSince = scheduler.now();
    } else if (scheduler.now() - observed.overdueSince > DEADLINE_SLACK) {
      throw new InvariantViolation(
          "P8", node.id() + " still runs an unconfirmed release after its deadline");
    }
  }

  /// A driver has written a desired state. R12: it never replaces one of a later driver.
  void observeDesired(Key key, DesiredState next) {
    DesiredState before = desiredStates.put(key, next);
    if (before != null && !next.canReplace(before)) {
      throw new InvariantViolation(
          "P9",
          "%s has epoch %d after %d".formatted(key, next.claim().epoch(), before.claim().epoch()));
    }
  }

  /// A rollout was written.
  void observeRollout(Rollout rollout) {
    RolloutId id = rollout.run().spec().id();
    long epoch = rollout.run().claim().epoch();
    long highest = highestEpochs.getOrDefault(id, 0L);
    if (epoch < highest) {
      throw new InvariantViolation(
          "P9", "epoch %d drives after epoch %d".formatted(epoch, highest));
    }
    highestEpochs.put(id, epoch);
    if (rollout instanceof Rollout.Aborted || rollout instanceof Rollout.RolledBack) {
      stopped.add(id);
    }
    List<NodeId> failed = rollout.run().progress().failedNodes();
    // Before a retry all nodes were repaired.
    boolean repaired =
        id.equals(RolloutScenario.SECOND_ROLLOUT)
            && secondRollout == RolloutScenario.SecondRollout.RETRIED;
    Set<NodeId> broken = repaired ? Set.of() : brokenNodes;
    failed.stream()
        .filter(it -> brokenNodes.contains(it) && !circumstances.isSlow(it))
        .forEach(quarantined::add);
    for (NodeId node : failed) {
      if (!broken.contains(node) && !circumstances.isSlow(node)) {
        throw new InvariantViolation(
            "P6", node + " counts as failed, but the release is good there");
      }
    }
    if (rollout instanceof Rollout.Rolling && isTooMuch(rollout, failed.size())) {
      throw new InvariantViolation(
          "P7", failed.size() + " nodes have failed, but the rollout continues");
    }
  }

  /// R14, counted independently: failures of all nodes, or of the attempted nodes.
  private boolean isTooMuch(Rollout rollout, long failed) {
    Map<NodeId, NodeEntry> entries = rollout.run().progress().entries();
    long attempted =
        rollout.run().progress().progressByNode(rollout.run().spec()).entrySet().stream()
            .filter(it ->
                !UNTRIED.contains(it.getValue())
                    || isLaterAttempt(rollout, entries.get(it.getKey())))
            .count();
    return failed > 0
        && switch (spec.limits().maxFailed()) {
          case FailureLimit.Nodes(int count) -> failed >= count;
          case FailureLimit.Percent(int percent) -> 100.0 * failed / attempted >= percent;
          case FailureLimit.Unlimited _ -> false;
        };
  }

  private static boolean isLaterAttempt(Rollout rollout, @Nullable NodeEntry entry) {
    return entry != null && entry.attempt() > rollout.run().spec().firstAttempt();
  }

  /// P6: at the end the nodes run what the rollout says, unless the second rollout changed them.
  void checkFinal(Rollout rollout, @Nullable Rollout retry, Map<NodeId, WatchdogProcess> nodes) {
    Map<NodeId, NodeProgress> progressByNode = rollout.run().progress().progressByNode(spec);
    Set<NodeId> missing = new HashSet<>(nodes.keySet());
    missing.removeAll(progressByNode.keySet());
    if (!lateNodes.containsAll(missing)) {
      throw new InvariantViolation("I10", "the rollout does not count these nodes: " + missing);
    }
    for (NodeId node : missing) {
      progressByNode.put(node, NodeProgress.PENDING_OFFLINE); // it came after the end
    }
    if (retry != null) {
      retry
          .run()
          .progress()
          .progressByNode(retry.run().spec())
          .forEach((id, it) -> {
            if (secondRollout == RolloutScenario.SecondRollout.RETRIED || !RESTORED.contains(it)) {
              progressByNode.put(id, it);
            }
          });
    }
    progressByNode.forEach((id, progress) -> checkFinal(id, progress, nodes.get(id)));
  }

  private static void checkFinal(NodeId id, NodeProgress progress, @Nullable WatchdogProcess node) {
    Sha256 runs = node == null ? OLD_RELEASE : node.machine().running();
    boolean isAsExpected =
        switch (progress) {
          case CONFIRMED, KEPT -> runs.equals(NEW_RELEASE);
          case FAILED, RECALLED, REVERTED, PENDING, PENDING_OFFLINE, EXCLUDED ->
              runs.equals(OLD_RELEASE);
          default -> true; // the rollout claims nothing
        };
    if (!isAsExpected) {
      throw new InvariantViolation("P6", "%s is %s and runs %s".formatted(id, progress, runs));
    }
  }
}
