package keyfleet.rollout;

/// How a rollout is cut into batches. The seed is given, not derived from a rollout's id, so that a
/// dry run and the run that follows it have one plan.
public record Shape(String seed, Canaries canaries, int batchSize, Spread spread) {
  /// Wherever the nodes are.
  public Shape(String seed, Canaries canaries, int batchSize) {
    this(seed, canaries, batchSize, new Spread.Anywhere());
  }

  public Shape {
    Items.checkText(seed);
    if (seed.isEmpty()) {
      throw new IllegalArgumentException("a seed is not empty");
    }
    if (batchSize < 1) {
      throw new IllegalArgumentException("a batch has at least 1 node, not " + batchSize);
    }
  }

  /// Who goes first.
  public sealed interface Canaries {}

  public record NoCanaries() implements Canaries {}

  /// The first ones in the plan's order.
  public record FirstOnes(int count) implements Canaries {
    public FirstOnes {
      if (count < 1) {
        throw new IllegalArgumentException("canaries are at least 1, not " + count);
      }
    }
  }

  /// All eligible nodes that this target takes, as far as they may be in one batch.
  public record Selected(Target target) implements Canaries {}
}
