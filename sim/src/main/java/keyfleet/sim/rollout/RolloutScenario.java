package keyfleet.sim.rollout;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.controller.FailureLimit;
import keyfleet.rollout.controller.RolloutLimits;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.controller.RolloutTimings;
import keyfleet.rollout.plan.BatchPolicy;
import keyfleet.rollout.plan.EligibilityRules;
import keyfleet.rollout.plan.EligibilityRules.DegradedNodes;
import keyfleet.rollout.plan.FailureDomains;
import keyfleet.rollout.plan.NodeStatus;
import keyfleet.rollout.plan.NodeStatus.Presence;
import keyfleet.rollout.plan.NodeStatus.Reported;
import keyfleet.rollout.plan.PlanningResult.Planned;
import keyfleet.rollout.plan.Preflight;
import keyfleet.rollout.plan.RolloutPlan;
import keyfleet.rollout.release.OfferedRelease;
import keyfleet.rollout.target.Facts;
import keyfleet.rollout.target.Target;
import keyfleet.sim.host.SeededRandom;

/// What is rolled out, to which nodes, and on which nodes the release does not work. `lateNodes`
/// enrol during the rollout; `outdatedNodes` are absent nodes that come with too old a protocol.
public record RolloutScenario(
    RolloutSpec spec,
    List<NodeId> nodes,
    Set<NodeId> brokenNodes,
    Set<NodeId> lateNodes,
    Set<NodeId> outdatedNodes,
    SecondRollout secondRollout) {
  /// What happens after the first rollout.
  enum SecondRollout {
    NONE,
    /// The failed nodes are repaired and get the release in a retry.
    RETRIED,
    /// The release is rolled out again to all other nodes.
    REPEATED
  }

  static final RolloutId ROLLOUT = new RolloutId("r1");

  /// A retry, or the same release again.
  static final RolloutId SECOND_ROLLOUT = new RolloutId("r2");

  /// The protocol that the release needs.
  public static final int PROTOCOL = 2;

  public static final int OLD_PROTOCOL = 1;

  private static final String ZONE = "zone";
  private static final Target EVERY_NODE = new Target.Glob("*");

  static RolloutScenario draw(SeededRandom random) {
    List<NodeId> nodes = new ArrayList<>();
    int count = 2 + random.below(4);
    for (int i = 0; i < count; i++) {
      nodes.add(new NodeId("node-" + i));
    }
    RolloutSpec spec = drawSpec(random, nodes);
    Set<NodeId> lateNodes = random.drawOneIn(5) ? Set.of(new NodeId("node-late")) : Set.of();
    nodes.addAll(lateNodes);
    Set<NodeId> outdatedNodes = new TreeSet<>(lateNodes);
    outdatedNodes.addAll(spec.plan().offline());
    outdatedNodes.removeIf(_ -> !random.drawOneIn(3));
    return new RolloutScenario(
        spec,
        List.copyOf(nodes),
        drawBrokenNodes(random, nodes),
        lateNodes,
        outdatedNodes,
        drawSecondRollout(random));
  }

  private static SecondRollout drawSecondRollout(SeededRandom random) {
    return switch (random.below(6)) {
      case 0, 1 -> SecondRollout.RETRIED;
      case 2 -> SecondRollout.REPEATED;
      default -> SecondRollout.NONE;
    };
  }

  /// A rollout of the same release to every node that can have it. It excludes the nodes that
  /// preflight would refuse; empty if no node is left.
  Optional<RolloutSpec> repeatSpec(List<NodeStatus> inventory) {
    Map<NodeId, String> excluded = new HashMap<>();
    inventory.stream()
        .filter(
            it -> !(it.report() instanceof Reported reported && reported.protocol() >= PROTOCOL))
        .forEach(it -> excluded.put(it.node(), "not now"));
    EligibilityRules rules =
        new EligibilityRules(EVERY_NODE, offeredRelease(), DegradedNodes.EXCLUDED, excluded);
    BatchPolicy policy =
        new BatchPolicy("again", new BatchPolicy.NoCanaries(), spec.limits().batchSize());
    return plan(rules, policy, inventory)
        .map(plan ->
            new RolloutSpec(
                SECOND_ROLLOUT,
                "second",
                rules,
                WatchdogProcess.COMPONENT,
                plan,
                spec.limits(),
                spec.timings()));
  }

  private static OfferedRelease offeredRelease() {
    return new OfferedRelease(RolloutOracle.NEW_RELEASE, 1, PROTOCOL, Set.of(), List.of());
  }

  private static Optional<RolloutPlan> plan(
      EligibilityRules rules, BatchPolicy policy, List<NodeStatus> inventory) {
    return Preflight.of(rules, inventory) instanceof Preflight.Passed passed
            && RolloutPlan.of(RolloutOracle.NEW_RELEASE, EVERY_NODE, policy, passed)
                instanceof Planned(var plan)
        ? Optional.of(plan)
        : Optional.empty();
  }

  /// The facts that a node reports: nodes are spread over two zones.
  static Facts facts(NodeId node) {
    return new Facts(Map.of(ZONE, List.of("zone-" + Math.floorMod(node.hashCode(), 2))));
  }

  private static RolloutSpec drawSpec(SeededRandom random, List<NodeId> nodes) {
    RolloutLimits limits =
        new RolloutLimits(
            1 + random.below(2),
            drawFailureLimit(random),
            drawBatchLimit(random),
            random.below(2),
            1);
    BatchPolicy.Canaries canaries =
        random.drawOneIn(2) ? new BatchPolicy.NoCanaries() : new BatchPolicy.FirstNodes(1);
    FailureDomains domains =
        random.drawOneIn(4) ? new FailureDomains.Limited(ZONE, 1) : new FailureDomains.Unlimited();
    int offline = random.drawOneIn(4) ? 1 : 0;
    List<NodeStatus> inventory =
        nodes.stream().map(it -> status(it, nodes.indexOf(it) >= nodes.size() - offline)).toList();
    EligibilityRules rules = EligibilityRules.of(EVERY_NODE, offeredRelease());
    BatchPolicy policy = new BatchPolicy("seed", canaries, limits.batchSize(), domains);
    RolloutPlan plan = plan(rules, policy, inventory).orElseThrow();
    RolloutTimings timings =
        RolloutTimings.defaults(Duration.ofSeconds(30), Duration.ofSeconds(10));
    return new RolloutSpec(
        ROLLOUT, "first", rules, WatchdogProcess.COMPONENT, plan, limits, timings);
  }

  private static NodeStatus status(NodeId node, boolean offline) {
    NodeStatus.Report report = new Reported(NodeStatus.Health.HEALTHY, PROTOCOL);
    Presence presence = offline ? Presence.OFFLINE : Presence.ONLINE;
    return new NodeStatus(node, presence, report, facts(node));
  }

  private static FailureLimit drawFailureLimit(SeededRandom random) {
    return random.drawOneIn(3)
        ? new FailureLimit.Percent(25 + 25 * random.below(3))
        : new FailureLimit.Nodes(1 + random.below(2));
  }

  private static FailureLimit drawBatchLimit(SeededRandom random) {
    return random.drawOneIn(4) ? drawFailureLimit(random) : new FailureLimit.Unlimited();
  }

  /// Most releases are good; some fail on all nodes, some on one.
  private static Set<NodeId> drawBrokenNodes(SeededRandom random, List<NodeId> nodes) {
    return switch (random.below(6)) {
      case 0 -> Set.copyOf(nodes);
      case 1 -> new HashSet<>(Set.of(random.pick(nodes)));
      default -> Set.of();
    };
  }
}
