package keyfleet.rollout.controller;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import keyfleet.rollout.Component;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Task;
import keyfleet.rollout.plan.EligibilityRules;
import keyfleet.rollout.plan.RolloutPlan;
import keyfleet.rollout.release.OfferedRelease;

/// What a rollout is, fixed when it is created. `incarnation` distinguishes it from a rollout with
/// the same id in a store that was restored or created again (R24).
public record RolloutSpec(
    RolloutId id,
    String incarnation,
    EligibilityRules eligibility,
    Component component,
    RolloutPlan plan,
    RolloutLimits limits,
    RolloutTimings timings) {
  public RolloutSpec {
    if (incarnation.isEmpty()) {
      throw new IllegalArgumentException("a rollout needs an incarnation");
    }
    if (!eligibility.target().equals(plan.target())
        || !eligibility.offeredRelease().release().equals(plan.release())) {
      throw new IllegalArgumentException("the plan is for another target or release");
    }
    if (plan.batches().stream().anyMatch(batch -> batch.size() > limits.batchSize())) {
      throw new IllegalArgumentException(
          "a batch of the plan is larger than " + limits.batchSize());
    }
  }

  /// For a release without requirements.
  public RolloutSpec(
      RolloutId id,
      String incarnation,
      int attempt,
      Component component,
      RolloutPlan plan,
      RolloutLimits limits,
      RolloutTimings timings) {
    this(
        id,
        incarnation,
        EligibilityRules.of(plan.target(), OfferedRelease.of(plan.release(), attempt)),
        component,
        plan,
        limits,
        timings);
  }

  /// The number of each node's first attempt.
  public int firstAttempt() {
    return eligibility.offeredRelease().attempt();
  }

  /// Every node in the plan.
  public Set<NodeId> allNodes() {
    Set<NodeId> planned = decidedNodes();
    planned.addAll(plan.offline());
    return planned;
  }

  /// The nodes that the plan has put into a batch or has excluded.
  Set<NodeId> decidedNodes() {
    Set<NodeId> decided = new HashSet<>(plan.canaries());
    plan.batches().forEach(decided::addAll);
    plan.excluded().forEach(it -> decided.add(it.node()));
    return decided;
  }

  /// The canaries are a batch of their own.
  int batchCount() {
    return plan.batches().size() + (hasCanaries() ? 1 : 0);
  }

  List<NodeId> batch(int index) {
    if (!hasCanaries()) {
      return plan.batches().get(index);
    }
    return index == 0 ? plan.canaries() : plan.batches().get(index - 1);
  }

  boolean isCanaryBatch(int index) {
    return index == 0 && hasCanaries();
  }

  private boolean hasCanaries() {
    return !plan.canaries().isEmpty();
  }

  Task taskFor(int nodeAttempt) {
    return new Task(
        id,
        nodeAttempt,
        component,
        plan.release(),
        timings.soak(),
        timings.confirmWithin(),
        timings.healthWait());
  }
}
