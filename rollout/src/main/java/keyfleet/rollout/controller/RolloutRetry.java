package keyfleet.rollout.controller;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.plan.BatchPolicy;
import keyfleet.rollout.plan.BatchPolicy.NoCanaries;
import keyfleet.rollout.plan.EligibilityRules;
import keyfleet.rollout.plan.NodeStatus;
import keyfleet.rollout.plan.PlanningResult;
import keyfleet.rollout.plan.Preflight;
import keyfleet.rollout.plan.Preflight.Passed;
import keyfleet.rollout.plan.RolloutPlan;
import keyfleet.rollout.release.OfferedRelease;
import keyfleet.rollout.target.Target;
import keyfleet.rollout.target.TargetParser;

/// A new rollout of a release to the nodes that failed with it, in a later attempt than any of them
/// has had (R17).
public sealed interface RolloutRetry {
  record Ready(RolloutSpec spec) implements RolloutRetry {}

  record Refused(String reason) implements RolloutRetry {}

  /// Preflight runs again on `inventory`: nodes that are degraded now are left out, as in any
  /// rollout.
  static RolloutRetry of(
      Rollout ended, RolloutId id, String incarnation, List<NodeStatus> inventory) {
    RolloutSpec before = ended.run().spec();
    Set<NodeId> failed = new LinkedHashSet<>(ended.run().progress().failedNodes());
    if (!Rollout.isEnded(ended)) {
      return new Refused("rollout " + before.id() + " is still in progress");
    }
    if (failed.isEmpty()) {
      return new Refused("no node of rollout " + before.id() + " has failed");
    }
    Target target = new Target.Ids(failed);
    if (!(TargetParser.parse(target.toString()) instanceof TargetParser.Parsed)) {
      return new Refused(failed.size() + " failed nodes are too many for one retry");
    }
    EligibilityRules rulesBefore = before.eligibility();
    OfferedRelease offeredRelease =
        rulesBefore
            .offeredRelease()
            .withAttempt(highestAttempt(ended.run().progress(), failed) + 1);
    EligibilityRules retryRules =
        new EligibilityRules(
            target, offeredRelease, rulesBefore.degraded(), rulesBefore.heldBack());
    return switch (Preflight.of(retryRules, inventory)) {
      case Passed passed -> new Ready(spec(before, id, incarnation, retryRules, passed));
      case Preflight.Refused refused -> new Refused(refused.description());
    };
  }

  private static int highestAttempt(RolloutProgress progress, Set<NodeId> failed) {
    return progress.entries().entrySet().stream()
        .filter(it -> failed.contains(it.getKey()))
        .mapToInt(it -> it.getValue().attempt())
        .max()
        .orElse(1);
  }

  private static RolloutSpec spec(
      RolloutSpec before,
      RolloutId id,
      String incarnation,
      EligibilityRules retryRules,
      Passed passed) {
    BatchPolicy policy =
        new BatchPolicy(
            id.value(),
            new NoCanaries(),
            before.limits().batchSize(),
            before.plan().failureDomains());
    PlanningResult.Planned planned =
        (PlanningResult.Planned)
            RolloutPlan.of(before.plan().release(), retryRules.target(), policy, passed);
    return new RolloutSpec(
        id,
        incarnation,
        retryRules,
        before.component(),
        planned.plan(),
        before.limits(),
        before.timings());
  }
}
