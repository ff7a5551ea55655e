package keyfleet.rollout.plan;

import keyfleet.rollout.CanonicalEncoder;
import keyfleet.rollout.target.Target;

/// How nodes are divided into batches. The seed is given and not derived from the rollout's id, so
/// that a dry run and the run that follows it have the same plan.
public record BatchPolicy(
    String seed, Canaries canaries, int batchSize, FailureDomains failureDomains) {
  /// Without a limit for failure domains.
  public BatchPolicy(String seed, Canaries canaries, int batchSize) {
    this(seed, canaries, batchSize, new FailureDomains.Unlimited());
  }

  public BatchPolicy {
    CanonicalEncoder.checkText(seed);
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
  public record FirstNodes(int count) implements Canaries {
    public FirstNodes {
      if (count < 1) {
        throw new IllegalArgumentException("at least 1 canary, not " + count);
      }
    }
  }

  /// All eligible nodes that match this target, as far as they may be in one batch.
  public record Selected(Target target) implements Canaries {}
}
