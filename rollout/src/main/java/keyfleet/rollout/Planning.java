package keyfleet.rollout;

/// A plan, or why there is none.
public sealed interface Planning {
  record Planned(Plan plan) implements Planning {}

  /// The canary selector matches no eligible node. Continuing without canaries would drop the
  /// safety that the operator asked for.
  record NoCanaryFound(Target selector) implements Planning {
    public String words() {
      return "no eligible node matches the canary selector: " + selector;
    }
  }
}
