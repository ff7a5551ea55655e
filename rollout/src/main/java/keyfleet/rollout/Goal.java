package keyfleet.rollout;

/// How far a driver wants a node to get with its task.
public enum Goal {
  /// Downloaded and checked, not running.
  STAGED,
  /// Running, soaking, and waiting for the confirm.
  APPLIED,
  CONFIRMED,
  /// As before the task, unless the node was confirmed: a confirmed node keeps the release.
  ROLLED_BACK,
  /// As before the task, even if the node was confirmed.
  REVERTED;

  public boolean isForward() {
    return this != ROLLED_BACK && this != REVERTED;
  }
}
