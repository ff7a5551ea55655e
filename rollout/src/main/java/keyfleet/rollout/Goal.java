package keyfleet.rollout;

/// How far a node shall get with its task.
public enum Goal {
  /// Downloaded and checked; nothing runs it.
  STAGED,
  /// Running, soaking, waiting for the confirm.
  APPLIED,
  CONFIRMED,
  /// As before the task, unless it was confirmed: a confirmed node keeps the release.
  ROLLED_BACK,
  /// As before the task, also if it was confirmed.
  REVERTED;

  public boolean isForward() {
    return this != ROLLED_BACK && this != REVERTED;
  }
}
