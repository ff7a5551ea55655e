package keyfleet.rollout;

import keyfleet.rollout.Tolerance.Nodes;
import keyfleet.rollout.Tolerance.Unlimited;

/// How much of a fleet one rollout may touch or lose at once.
///
/// @param maxFailed failed nodes that abort it (R13, R14), of all
/// @param maxFailedPerBatch failed nodes that abort it, of the batch that is on; who was left
///   behind by its batch counts for the whole alone
/// @param maxUnavailable more unreachable ones than these hold it
/// @param lane how many of the nodes that were left behind may be under way at once (R16)
public record Limits(
    int batchSize, Tolerance maxFailed, Tolerance maxFailedPerBatch, int maxUnavailable, int lane) {
  public Limits {
    if (batchSize < 1 || maxUnavailable < 0 || lane < 1) {
      throw new IllegalArgumentException(
          "batch size and lane are positive, max unavailable is not negative: "
              + "%d, %d, %d".formatted(batchSize, lane, maxUnavailable));
    }
    if (maxFailed instanceof Unlimited) {
      throw new IllegalArgumentException("a rollout ends when too many nodes fail");
    }
  }

  /// `maxFailed` nodes abort it, in whichever batch.
  public Limits(int batchSize, int maxFailed, int maxUnavailable, int lane) {
    this(batchSize, new Nodes(maxFailed), new Unlimited(), maxUnavailable, lane);
  }

  /// How many nodes may run a release that is not confirmed (I6): the slot of a silent node that
  /// may still apply is lent from `maxUnavailable`, and never given away beyond it.
  int unconfirmed() {
    return Math.addExact(batchSize, maxUnavailable);
  }
}
