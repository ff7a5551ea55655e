package keyfleet.sim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import keyfleet.rollout.Limits;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.Plan;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.RolloutSpec;
import keyfleet.rollout.Target;
import keyfleet.rollout.Times;

/// What is rolled out, to whom, and on which nodes it does not work.
record Shipment(RolloutSpec spec, List<NodeId> nodes, Set<NodeId> spoiled) {
  static final RolloutId ROLLOUT = new RolloutId("r1");

  static Shipment drawn(Dice dice) {
    List<NodeId> nodes = new ArrayList<>();
    int count = 2 + dice.below(4);
    for (int i = 0; i < count; i++) {
      nodes.add(new NodeId("node-" + i));
    }
    return new Shipment(spec(dice, nodes), List.copyOf(nodes), spoiled(dice, nodes));
  }

  private static RolloutSpec spec(Dice dice, List<NodeId> nodes) {
    Limits limits = new Limits(1 + dice.below(2), 1 + dice.below(2), dice.below(2), 1);
    int canaries = dice.below(2);
    int offline = dice.oneIn(4) ? 1 : 0;
    List<NodeId> online = nodes.subList(canaries, nodes.size() - offline);
    List<List<NodeId>> batches = new ArrayList<>();
    for (int i = 0; i < online.size(); i += limits.batchSize()) {
      batches.add(online.subList(i, Math.min(online.size(), i + limits.batchSize())));
    }
    Plan plan =
        new Plan(
            NodeTruth.NEW,
            new Target.Glob("*"),
            nodes.subList(0, canaries),
            batches,
            nodes.subList(nodes.size() - offline, nodes.size()),
            List.of());
    Times times = Times.usual(Duration.ofSeconds(30), Duration.ofSeconds(10));
    return new RolloutSpec(ROLLOUT, "first", 1, NodeProcess.COMPONENT, plan, limits, times);
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
