package keyfleet.rollout.controller;

import keyfleet.rollout.controller.FailureLimit.Nodes;
import keyfleet.rollout.controller.FailureLimit.Unlimited;

/// How much of a fleet one rollout may touch or lose at once.
///
/// @param maxFailed failed nodes, of all nodes, that abort the rollout (R13, R14)
/// @param maxFailedPerBatch failed nodes of the current batch that abort the rollout; a node that
///   its batch left behind counts for the whole only
/// @param maxUnavailable if more nodes than this are unreachable, the rollout starts nothing new
/// @param maxLateNodes how many late nodes may be in progress at once (R16)
public record RolloutLimits(
    int batchSize,
    FailureLimit maxFailed,
    FailureLimit maxFailedPerBatch,
    int maxUnavailable,
    int maxLateNodes) {
  public RolloutLimits {
    if (batchSize < 1 || maxUnavailable < 0 || maxLateNodes < 1) {
      throw new IllegalArgumentException(
          "batch size and max late nodes must be positive, max unavailable must not be negative: "
              + "%d, %d, %d".formatted(batchSize, maxLateNodes, maxUnavailable));
    }
    if (maxFailed instanceof Unlimited) {
      throw new IllegalArgumentException("a rollout needs a limit for failed nodes");
    }
  }

  /// `maxFailed` nodes abort the rollout, whichever batch they are in.
  public RolloutLimits(int batchSize, int maxFailed, int maxUnavailable, int maxLateNodes) {
    this(batchSize, new Nodes(maxFailed), new Unlimited(), maxUnavailable, maxLateNodes);
  }

  /// How many nodes may run a release that is not confirmed (I6): a silent node that may still
  /// apply counts against `maxUnavailable` instead of the batch, and never beyond it.
  int maxUnconfirmed() {
    return Math.addExact(batchSize, maxUnavailable);
  }
}
