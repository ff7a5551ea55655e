package keyfleet.rollout.controller;

/// Why a rollout is paused or was aborted.
public enum StopCause {
  OPERATOR,
  /// Too many nodes failed.
  FAILURES,
  /// A node could not get or keep the artifact, which is not the release's fault (R14).
  INFRASTRUCTURE,
  /// The store has lost decisions that nodes have obeyed (R24). The driver sends no command until
  /// an operator has checked the rollout.
  STORE_LOST
}
