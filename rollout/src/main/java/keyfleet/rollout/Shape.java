package keyfleet.rollout;

/// How nodes are divided into batches. The seed is given and not derived from the rollout's id, so
/// that a dry run and the run that follows it have the same plan.
public record Shape(String seed, Canaries canaries, int batchSize, Spread spread) {
  /// Without a limit for failure domains.
  public Shape(String seed, Canaries canaries, int batchSize) {
    this(seed, canaries, batchSize, new Spread.Anywhere());
  }

  public Shape {
    Items.checkText(seed);
    if (seed.isEmpty()) {
      throw new IllegalArgumentException("a seed must not be empty");
    }
    if (batchSize < 1) {
      throw new IllegalArgumentException("a batch has at least 1 node, not " + batchSize);
    }
  }

  /// The nodes that go first.
  public sealed interface Canaries {}

  public record NoCanaries() implements Canaries {}

  /// The first nodes in the plan's order.
  public record FirstOnes(int count) implements Canaries {
    public FirstOnes {
      if (count < 1) {
        throw new IllegalArgumentException("at least 1 canary, not " + count);
      }
    }
  }

  /// All eligible nodes that match this target, as far as they may be in one batch.
  public record Selected(Target target) implements Canaries {}
}
