package keyfleet.rollout.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import keyfleet.rollout.CanonicalEncoder;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.plan.BatchPolicy.FirstNodes;
import keyfleet.rollout.plan.BatchPolicy.NoCanaries;
import keyfleet.rollout.plan.BatchPolicy.Selected;
import keyfleet.rollout.plan.Preflight.Passed;
import keyfleet.rollout.target.Target;
import keyfleet.rollout.target.TargetMatch;

/// Which node gets a release in which batch. The plan is frozen when the rollout is created. A dry
/// run has the same plan: the same nodes give the same plan in whatever order they are read.
///
/// @param inventory the revision of the inventory that the plan was made from (R15); it is not part
///   of the hash, because another inventory may give the same plan
public record RolloutPlan(
    Sha256 release,
    Target target,
    List<NodeId> canaries,
    List<List<NodeId>> batches,
    List<NodeId> offline,
    List<ExcludedNode> excluded,
    FailureDomains failureDomains,
    Sha256 inventory) {
  /// For a plan that was stored without its inventory.
  public static final Sha256 UNKNOWN_INVENTORY = InventoryDigest.of(List.of());

  /// Without a limit for failure domains, from an unknown inventory.
  public RolloutPlan(
      Sha256 release,
      Target target,
      List<NodeId> canaries,
      List<List<NodeId>> batches,
      List<NodeId> offline,
      List<ExcludedNode> excluded) {
    this(
        release,
        target,
        canaries,
        batches,
        offline,
        excluded,
        new FailureDomains.Unlimited(),
        UNKNOWN_INVENTORY);
  }

  public RolloutPlan {
    canaries = List.copyOf(canaries);
    batches = batches.stream().map(List::copyOf).toList();
    offline = List.copyOf(offline);
    excluded = List.copyOf(excluded);
  }

  /// `release` is the digest of the manifest, `target` is the target that preflight resolved.
  public static PlanningResult of(
      Sha256 release, Target target, BatchPolicy policy, Passed passed) {
    List<NodeStatus> order = order(policy.seed(), passed.eligible());
    Set<NodeId> canaries = canaries(policy, order);
    if (policy.canaries() instanceof Selected(var selector) && canaries.isEmpty()) {
      return new PlanningResult.NoCanaryFound(selector);
    }
    List<NodeStatus> rest = order.stream().filter(it -> !canaries.contains(it.node())).toList();
    return new PlanningResult.Planned(
        new RolloutPlan(
            release,
            target,
            List.copyOf(canaries),
            cutBatches(rest, policy),
            toIds(order(policy.seed(), passed.offline())),
            passed.excluded().stream().sorted(Comparator.comparing(ExcludedNode::node)).toList(),
            policy.failureDomains(),
            passed.inventory()));
  }

  /// By hash: nodes with similar names are often in the same rack and must not fail together.
  private static List<NodeStatus> order(String seed, List<NodeStatus> nodes) {
    record Ranked(Sha256 hash, NodeStatus status) {}
    return nodes.stream()
        .map(status -> new Ranked(orderHash(seed, status.node()), status))
        .sorted(Comparator.comparing(Ranked::hash).thenComparing(it -> it.status().node()))
        .map(Ranked::status)
        .toList();
  }

  private static List<NodeId> toIds(List<NodeStatus> nodes) {
    return nodes.stream().map(NodeStatus::node).toList();
  }

  private static Sha256 orderHash(String seed, NodeId node) {
    return Sha256.of(
        new CanonicalEncoder("keyfleet-order-1").addText(seed).addText(node.value()).toBytes());
  }

  private static Set<NodeId> canaries(BatchPolicy policy, List<NodeStatus> order) {
    List<NodeId> chosen =
        switch (policy.canaries()) {
          case NoCanaries _ -> List.of();
          case FirstNodes(int count) ->
              new BatchPlanner(policy.failureDomains(), order).takeBatch(count);
          case Selected(var selector) ->
              new BatchPlanner(
                      policy.failureDomains(),
                      order.stream().filter(it -> isSelected(selector, it)).toList())
                  .takeBatch(order.size());
        };
    return new LinkedHashSet<>(chosen);
  }

  private static boolean isSelected(Target selector, NodeStatus status) {
    return selector.matches(status.node(), status.facts()) == TargetMatch.YES;
  }

  private static List<List<NodeId>> cutBatches(List<NodeStatus> nodes, BatchPolicy policy) {
    BatchPlanner planner = new BatchPlanner(policy.failureDomains(), nodes);
    List<List<NodeId>> batches = new ArrayList<>();
    while (!planner.isEmpty()) {
      batches.add(planner.takeBatch(policy.batchSize()));
    }
    return batches;
  }

  /// I11: a dry run prints this hash, and the run that follows must have the same.
  public Sha256 hash() {
    CanonicalEncoder encoder =
        new CanonicalEncoder("keyfleet-plan-1")
            .addDigest(release)
            .addText(target.toString())
            .addTexts(canaries);
    encoder.addInt(batches.size());
    batches.forEach(encoder::addTexts);
    encoder.addTexts(offline).addTexts(excluded);
    if (failureDomains instanceof FailureDomains.Limited(var fact, int perBatch)) {
      encoder.addText(fact).addInt(perBatch);
    }
    return Sha256.of(encoder.toBytes());
  }
}
