package keyfleet.rollout;

/// How much of a fleet one rollout may touch or lose at once. `maxFailed` nodes that failed abort
/// it (R13). More than `maxUnavailable` unreachable ones hold it. `lane` is how many of the nodes
/// that were left behind may be under way at once (R16).
public record Limits(int batchSize, int maxFailed, int maxUnavailable, int lane) {
  public Limits {
    if (batchSize < 1 || maxFailed < 1 || maxUnavailable < 0 || lane < 1) {
      throw new IllegalArgumentException(
          "batch size, max failed and lane are positive, max unavailable is not negative: "
              + "%d, %d, %d, %d".formatted(batchSize, maxFailed, lane, maxUnavailable));
    }
  }

  /// How many nodes may run a release that is not confirmed (I6): the slot of a silent node that
  /// may still apply is lent from `maxUnavailable`, and never given away beyond it.
  int unconfirmed() {
    return Math.addExact(batchSize, maxUnavailable);
  }
}
