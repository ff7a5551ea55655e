package keyfleet.rollout.controller;

import static keyfleet.rollout.controller.ControllerFixtures.claim;
import static keyfleet.rollout.controller.ControllerFixtures.created;
import static keyfleet.rollout.controller.ControllerFixtures.spec;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RolloutFixtures;
import keyfleet.rollout.controller.RolloutEvent.AbortRequested;
import keyfleet.rollout.controller.RolloutEvent.Claimed;
import keyfleet.rollout.controller.RolloutEvent.ForgetRequested;
import keyfleet.rollout.controller.RolloutEvent.NodeOccupied;
import keyfleet.rollout.controller.RolloutEvent.Observed;
import keyfleet.rollout.controller.RolloutEvent.PauseRequested;
import keyfleet.rollout.controller.RolloutEvent.ResumeRequested;
import keyfleet.rollout.controller.RolloutEvent.RollbackRequested;
import keyfleet.rollout.controller.RolloutEvent.Ticked;
import keyfleet.rollout.plan.NodeStatus;

/// A random walk of a rollout, its nodes and their `desired` keys. Committed orders may be written
/// at once, late, or by a driver that was superseded long ago; a key never takes an older order
/// than the one it has.
final class RolloutRandomWalk {
  private static final String[] PLANS = {
    "a | b c | d", "| a b | c d", "a b c | d", "| a | b | c", "a | b c d | e f", "| a b c d e f g"
  };
  private static final int OUTBOX = 200;

  private final Random random;
  private final Map<NodeId, ModelNode> nodes = new TreeMap<>();
  private final Map<NodeId, DesiredState> desired = new HashMap<>();
  private final List<Map.Entry<NodeId, DesiredState>> outbox = new ArrayList<>();
  private final Set<NodeId> overdue = new HashSet<>();
  private final Set<NodeId> forgotten = new HashSet<>();
  private final Set<NodeId> degraded = new HashSet<>();
  private final int faultRate;
  private final int changeRate;
  private final int gapRate;
  private Rollout rollout;
  private Duration now = ControllerFixtures.START;
  private long epoch;
  private long decision;
  private boolean swapped;

  RolloutRandomWalk(long seed) {
    random = new Random(seed);
    faultRate = random.nextBoolean() ? 8 : 60;
    changeRate = random.nextBoolean() ? 12 : 60;
    gapRate = random.nextBoolean() ? 2 : 10;
    String offline = random.nextBoolean() ? "x y" : "";
    String plan = PLANS[random.nextInt(PLANS.length)];
    RolloutLimits limits =
        new RolloutLimits(
            largestBatch(plan), failureLimit(), batchFailureLimit(), random.nextInt(3), 2);
    rollout = created(spec(plan, offline, limits));
    nodes().forEach(it -> nodes.put(it, new ModelNode(it)));
    ControllerFixtures.ids(offline).forEach(it -> node(it).present = false);
    if (random.nextInt(3) == 0) {
      lateNodeIds().forEach(it -> node(it).present = false);
    }
    if (random.nextInt(3) == 0) {
      degraded.addAll(ControllerFixtures.ids("y t"));
    }
  }

  /// Nodes that are enrolled when they first appear.
  static Set<NodeId> lateNodeIds() {
    return Set.copyOf(ControllerFixtures.ids("s t"));
  }

  private FailureLimit failureLimit() {
    return random.nextInt(3) == 0
        ? new FailureLimit.Percent(10 + random.nextInt(80))
        : new FailureLimit.Nodes(1 + random.nextInt(3));
  }

  private FailureLimit batchFailureLimit() {
    return random.nextInt(3) == 0 ? failureLimit() : new FailureLimit.Unlimited();
  }

  /// The smallest limit that the plan allows; there may be more canaries than that.
  private static int largestBatch(String plan) {
    return ControllerFixtures.plan(plan, "").batches().stream()
        .mapToInt(List::size)
        .max()
        .orElse(1);
  }

  private ModelNode node(NodeId id) {
    return nodes.computeIfAbsent(id, ModelNode::new);
  }

  Rollout rollout() {
    return rollout;
  }

  Duration now() {
    return now;
  }

  Set<NodeId> nodes() {
    return rollout.run().progress().progressByNode(rollout.run().spec()).keySet();
  }

  /// A live node that an operator declared dead does not count.
  long unconfirmed() {
    return nodes.values().stream()
        .filter(it -> it.isUnconfirmed() && !forgotten.contains(it.id))
        .count();
  }

  /// The nodes that run the release confirmed and do not belong to another rollout.
  Set<NodeId> confirmed() {
    Map<NodeId, NodeProgress> progress =
        rollout.run().progress().progressByNode(rollout.run().spec());
    Set<NodeId> confirmed = new HashSet<>();
    nodes.values().stream()
        .filter(it -> it.isConfirmed() && !forgotten.contains(it.id))
        .filter(it -> progress.get(it.id) != NodeProgress.OCCUPIED)
        .forEach(it -> confirmed.add(it.id));
    return confirmed;
  }

  /// The nodes that reported a failure, or were present when a deadline passed (R13).
  Set<NodeId> possiblyFailed() {
    Set<NodeId> failed = new HashSet<>(overdue);
    nodes.values().stream().filter(it -> it.reportedBad).forEach(it -> failed.add(it.id));
    return failed;
  }

  /// Whether a node started the release in the last step.
  boolean hasSwapped() {
    return swapped;
  }

  /// Lets nodes act for a while, then applies one event to the rollout.
  RolloutEvent step() {
    int before = swaps();
    for (int i = random.nextInt(8); i > 0; i--) {
      runNode(nodes.values().stream().toList().get(random.nextInt(nodes.size())));
    }
    deliverOrders();
    swapped = swaps() > before;
    RolloutEvent event = nextEvent();
    recordOverdue(event);
    Rollout next = Rollout.next(rollout, event, now);
    if (!next.equals(rollout)) {
      decision++;
    }
    rollout = next;
    queueOrders();
    return event;
  }

  private int swaps() {
    return nodes.values().stream()
        .filter(it -> !forgotten.contains(it.id))
        .mapToInt(it -> it.swaps)
        .sum();
  }

  private void runNode(ModelNode node) {
    switch (random.nextInt(6)) {
      case 0, 1 -> node.read(desired.get(node.id));
      case 2, 3 -> node.act();
      case 4 -> node.passTime(random, faultRate);
      default -> {
        if (random.nextInt(changeRate) == 0) {
          node.present = !node.present;
        } else if (!node.present && random.nextInt(4) == 0) {
          returnNode(node);
        }
      }
    }
  }

  /// The node may return with another status.
  private void returnNode(ModelNode node) {
    node.present = true;
    if (random.nextInt(changeRate) == 0) {
      degraded.add(node.id);
    } else if (random.nextBoolean()) {
      degraded.remove(node.id);
    }
  }

  /// Queues the orders of a committed decision until they are written; the oldest are dropped.
  private void queueOrders() {
    DriverClaim claim = rollout.run().claim();
    Rollout.assignments(rollout)
        .forEach((node, it) -> outbox.add(Map.entry(node, it.toDesiredState(claim, decision))));
    while (outbox.size() > OUTBOX) {
      outbox.removeFirst();
    }
  }

  private void deliverOrders() {
    for (int i = random.nextInt(6); i > 0 && !outbox.isEmpty(); i--) {
      boolean late = random.nextInt(3) == 0;
      int index = late ? random.nextInt(outbox.size()) : outbox.size() - 1;
      Map.Entry<NodeId, DesiredState> order = outbox.remove(index);
      DesiredState stored = desired.get(order.getKey());
      if (stored == null || order.getValue().canReplace(stored)) {
        desired.put(order.getKey(), order.getValue());
      }
    }
  }

  private RolloutEvent nextEvent() {
    now = now.plusSeconds(random.nextInt(20));
    int roll = random.nextInt(changeRate * 10);
    return switch (roll) {
      case 0 -> new AbortRequested(claim(++epoch));
      case 1 -> new RollbackRequested(claim(++epoch));
      case 2, 3 -> forgetEvent();
      case 4, 5, 6 -> new PauseRequested();
      case 7, 8 -> new Claimed(claim(++epoch));
      case 9, 10 -> occupiedEvent();
      case 11 -> new RolloutEvent.DecisionsLost();
      default -> roll % 10 < 8 ? usualEvent() : new Ticked();
    };
  }

  private RolloutEvent usualEvent() {
    if (Rollout.shouldClaim(rollout)) {
      boolean changed = rollout instanceof Rollout.Aborting && random.nextInt(4) == 0;
      DriverClaim next = claim(++epoch);
      return changed ? new RollbackRequested(next) : new Claimed(next);
    }
    if (rollout instanceof Rollout.Paused && random.nextInt(4) == 0) {
      return new ResumeRequested();
    }
    if (random.nextInt(gapRate) == 0) {
      now = now.plus(ControllerFixtures.TIMINGS.staleAfter()).minusSeconds(random.nextInt(40));
      return observed();
    }
    return observed();
  }

  private Observed observed() {
    Set<NodeId> present = new HashSet<>();
    List<NodeReport> reports = new ArrayList<>();
    List<NodeStatus> statuses = new ArrayList<>();
    for (ModelNode node : nodes.values()) {
      NodeReport report = node.report();
      if (node.present) {
        present.add(node.id);
        statuses.add(
            RolloutFixtures.status(node.id + (degraded.contains(node.id) ? " degraded" : "")));
      }
      if (report != null && random.nextInt(3) > 0) {
        reports.add(report);
      }
    }
    return new Observed(present, reports, statuses);
  }

  private NodeId anyNode() {
    return nodes.keySet().stream().toList().get(random.nextInt(nodes.size()));
  }

  /// A driver finds this out when it is about to write an order for the node.
  private RolloutEvent occupiedEvent() {
    List<NodeId> ordered = Rollout.assignments(rollout).keySet().stream().toList();
    return ordered.isEmpty()
        ? new Ticked()
        : new NodeOccupied(ordered.get(random.nextInt(ordered.size())));
  }

  private RolloutEvent forgetEvent() {
    NodeId node = anyNode();
    forgotten.add(node);
    return new ForgetRequested(node);
  }

  /// Present nodes whose step has lasted at least as long as the shortest deadline.
  private void recordOverdue(RolloutEvent event) {
    DriverView driverView = rollout.run().driverView();
    Set<NodeId> present = event instanceof Observed seen ? seen.present() : driverView.present();
    driverView
        .waitingSince()
        .forEach((node, since) -> {
          boolean late = now.compareTo(since.plus(ControllerFixtures.TIMINGS.settleWithin())) >= 0;
          if (late && present.contains(node) && driverView.present().contains(node)) {
            overdue.add(node);
          }
        });
  }
}
