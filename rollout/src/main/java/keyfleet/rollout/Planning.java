package keyfleet.rollout;

/// A plan, or why there is none.
public sealed interface Planning {
  record Planned(Plan plan) implements Planning {}

  /// The canary selector takes no eligible node. Going on without canaries would drop the very
  /// safety that the operator asked for.
  record NoCanaryFound(Target selector) implements Planning {
    public String words() {
      return "no eligible node is a canary: " + selector;
    }
  }
}
