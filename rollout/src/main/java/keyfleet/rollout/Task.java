package keyfleet.rollout;

import java.time.Duration;

/// What a node is to do in a rollout, the same for each step. A step is (rollout, attempt, release,
/// goal), independent of the driver: a new driver repeats it and fails no node (R6). Soak, deadline
/// and health wait come from the task, never from the node's own settings (R7).
///
/// @param healthWait how long at a stretch the release may be unready
public record Task(
    RolloutId rollout,
    int attempt,
    Component component,
    Sha256 release,
    Duration soak,
    Duration confirmWithin,
    Duration healthWait) {
  public Task {
    if (attempt < 1) {
      throw new IllegalArgumentException("attempts start at 1, not " + attempt);
    }
    if (!healthWait.isPositive()) {
      throw new IllegalArgumentException("a health wait must be positive: " + healthWait);
    }
    if (soak.isNegative() || confirmWithin.compareTo(soak) <= 0) {
      throw new IllegalArgumentException(
          "a soak of " + soak + " must end before the confirm deadline of " + confirmWithin);
    }
  }
}
