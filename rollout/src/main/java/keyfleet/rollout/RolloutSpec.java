package keyfleet.rollout;

import java.util.List;

/// What a rollout is, fixed when it is created. `incarnation` tells it from one of the same id in a
/// store that was restored or made anew (R24). `attempt` is the first attempt of each node.
public record RolloutSpec(
    RolloutId id,
    String incarnation,
    int attempt,
    Component component,
    Plan plan,
    Limits limits,
    Times times) {
  public RolloutSpec {
    if (incarnation.isEmpty() || attempt < 1) {
      throw new IllegalArgumentException(
          "a rollout has an incarnation, and attempts count from 1: " + attempt);
    }
    if (plan.batches().stream().anyMatch(batch -> batch.size() > limits.batchSize())) {
      throw new IllegalArgumentException(
          "a batch of the plan is larger than " + limits.batchSize());
    }
  }

  /// The canaries are a batch of their own.
  int batches() {
    return plan.batches().size() + (hasCanaries() ? 1 : 0);
  }

  List<NodeId> batch(int index) {
    if (!hasCanaries()) {
      return plan.batches().get(index);
    }
    return index == 0 ? plan.canaries() : plan.batches().get(index - 1);
  }

  boolean isCanaries(int index) {
    return index == 0 && hasCanaries();
  }

  private boolean hasCanaries() {
    return !plan.canaries().isEmpty();
  }

  Task task(int nodeAttempt) {
    return new Task(
        id, nodeAttempt, component, plan.release(), times.soak(), times.confirmWithin());
  }
}
