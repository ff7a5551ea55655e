package keyfleet.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import keyfleet.rollout.Admission;
import keyfleet.rollout.Facts;
import keyfleet.rollout.Limits;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodeStatus;
import keyfleet.rollout.NodeStatus.Presence;
import keyfleet.rollout.Offer;
import keyfleet.rollout.Plan;
import keyfleet.rollout.Planning.Planned;
import keyfleet.rollout.Preflight;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.RolloutSpec;
import keyfleet.rollout.Shape;
import keyfleet.rollout.Spread;
import keyfleet.rollout.Target;
import keyfleet.rollout.Times;
import keyfleet.rollout.Tolerance;

/// What is rolled out, to whom, and on which nodes it does not work. `late` are enrolled when the
/// rollout is under way.
record Shipment(
    RolloutSpec spec, List<NodeId> nodes, Set<NodeId> spoiled, Set<NodeId> late, Hope hope) {
  /// What becomes of nodes that failed.
  enum Hope {
    NONE,
    RETRIED
  }

  static final RolloutId ROLLOUT = new RolloutId("r1");

  /// The release once more, for those that failed.
  static final RolloutId RETRY = new RolloutId("r2");

  private static final String ZONE = "zone";
  private static final Target EVERYBODY = new Target.Glob("*");

  static Shipment drawn(Dice dice) {
    List<NodeId> nodes = new ArrayList<>();
    int count = 2 + dice.below(4);
    for (int i = 0; i < count; i++) {
      nodes.add(new NodeId("node-" + i));
    }
    RolloutSpec spec = spec(dice, nodes);
    Set<NodeId> late = dice.oneIn(5) ? Set.of(new NodeId("node-late")) : Set.of();
    nodes.addAll(late);
    Hope hope = dice.oneIn(3) ? Hope.RETRIED : Hope.NONE;
    return new Shipment(spec, List.copyOf(nodes), spoiled(dice, nodes), late, hope);
  }

  /// What the nodes say of themselves: they stand in two zones.
  static Facts facts(NodeId node) {
    return new Facts(Map.of(ZONE, List.of("zone-" + Math.floorMod(node.hashCode(), 2))));
  }

  private static RolloutSpec spec(Dice dice, List<NodeId> nodes) {
    Limits limits =
        new Limits(1 + dice.below(2), tolerance(dice), perBatch(dice), dice.below(2), 1);
    Shape.Canaries canaries = dice.oneIn(2) ? new Shape.NoCanaries() : new Shape.FirstOnes(1);
    Spread spread = dice.oneIn(4) ? new Spread.Within(ZONE, 1) : new Spread.Anywhere();
    int offline = dice.oneIn(4) ? 1 : 0;
    List<NodeStatus> inventory =
        nodes.stream().map(it -> status(it, nodes.indexOf(it) >= nodes.size() - offline)).toList();
    Admission admission = Admission.of(EVERYBODY, Offer.of(NodeTruth.NEW, 1));
    Shape shape = new Shape("seed", canaries, limits.batchSize(), spread);
    if (!(Preflight.of(admission, inventory) instanceof Preflight.Passed passed)
        || !(Plan.of(NodeTruth.NEW, EVERYBODY, shape, passed) instanceof Planned(var plan))) {
      throw new IllegalStateException("nothing speaks against it");
    }
    Times times = Times.usual(Duration.ofSeconds(30), Duration.ofSeconds(10));
    return new RolloutSpec(ROLLOUT, "first", 1, NodeProcess.COMPONENT, plan, limits, times);
  }

  private static NodeStatus status(NodeId node, boolean offline) {
    NodeStatus.Report report = new NodeStatus.Reported(NodeStatus.Health.HEALTHY, 1);
    Presence presence = offline ? Presence.OFFLINE : Presence.ONLINE;
    return new NodeStatus(node, presence, report, facts(node));
  }

  private static Tolerance tolerance(Dice dice) {
    return dice.oneIn(3)
        ? new Tolerance.Percent(25 + 25 * dice.below(3))
        : new Tolerance.Nodes(1 + dice.below(2));
  }

  private static Tolerance perBatch(Dice dice) {
    return dice.oneIn(4) ? tolerance(dice) : new Tolerance.Unlimited();
  }

  /// Most releases are good; some fail everywhere, some on one node.
  private static Set<NodeId> spoiled(Dice dice, List<NodeId> nodes) {
    return switch (dice.below(6)) {
      case 0 -> Set.copyOf(nodes);
      case 1 -> new HashSet<>(Set.of(dice.pick(nodes)));
      default -> Set.of();
    };
  }
}
