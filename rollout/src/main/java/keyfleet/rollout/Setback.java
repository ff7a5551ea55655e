package keyfleet.rollout;

/// Why a node is not on the release that it was asked to run.
public enum Setback {
  /// It is on it, or on the way.
  NONE,
  /// The release did not become ready, or did not stay so: the release has failed.
  UNHEALTHY,
  /// The node's own rules refuse it: signature, platform, protocol, expiry, downgrade.
  REFUSED,
  /// The artifact could not be had or kept: nothing is said against the release (R14). Of a node
  /// that is confirmed, that it cannot go back any more.
  INFRASTRUCTURE,
  /// No confirm came in time: the node was cut off, not the release bad.
  UNCONFIRMED,
  /// A driver told it to go back.
  ORDERED
}
