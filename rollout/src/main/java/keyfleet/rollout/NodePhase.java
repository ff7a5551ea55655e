package keyfleet.rollout;

/// How far a node has got with a task (R5).
public enum NodePhase {
  PREPARING,
  STAGED,
  APPLYING,
  SOAKING,
  /// The whole soak has passed; the confirm must come before the deadline.
  SOAKED,
  CONFIRMED,
  ROLLING_BACK,
  /// Back on the previous release, or never left it.
  ROLLED_BACK,
  /// Back from a release that had been confirmed.
  REVERTED;

  public boolean isTerminal() {
    return this == CONFIRMED || this == ROLLED_BACK || this == REVERTED;
  }
}
