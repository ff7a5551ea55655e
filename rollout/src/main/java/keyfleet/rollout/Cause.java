package keyfleet.rollout;

/// Why a rollout is paused, or was aborted.
public enum Cause {
  OPERATOR,
  /// Too many nodes failed.
  FAILURES,
  /// A node could not get or keep the artifact, which says nothing against the release (R14).
  INFRASTRUCTURE,
  /// The store has lost decisions that nodes have obeyed (R24). Nothing at all is commanded until
  /// an operator has looked.
  STORE_LOST
}
