package keyfleet.rollout;

import java.time.Duration;

/// What a node is to do in a rollout, the same for each step of it. A step is (rollout, attempt,
/// release, goal), whoever leads: a new driver repeats it and fails nobody (R6). Soak, deadline and
/// health wait come from here, never from the node's own settings (R7).
///
/// @param healthWait for how long at a stretch the release may be unready
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
      throw new IllegalArgumentException("attempts count from 1, not " + attempt);
    }
    if (!healthWait.isPositive()) {
      throw new IllegalArgumentException("a release needs time to become ready: " + healthWait);
    }
    if (soak.isNegative() || confirmWithin.compareTo(soak) <= 0) {
      throw new IllegalArgumentException(
          "a soak of " + soak + " must end before the confirm deadline of " + confirmWithin);
    }
  }
}
