package keyfleet.rollout.plan;

import keyfleet.rollout.target.Target;

/// A plan, or why there is none.
public sealed interface PlanningResult {
  record Planned(RolloutPlan plan) implements PlanningResult {}

  /// The canary selector matches no eligible node. Continuing without canaries would drop the
  /// safety that the operator asked for.
  record NoCanaryFound(Target selector) implements PlanningResult {
    public String description() {
      return "no eligible node matches the canary selector: " + selector;
    }
  }
}
