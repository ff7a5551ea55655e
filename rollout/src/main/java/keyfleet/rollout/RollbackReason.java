package keyfleet.rollout;

/// Why a node is not on the release that it was ordered to run.
public enum RollbackReason {
  /// It is on the release, or on the way to it.
  NONE,
  /// The release did not become ready, or did not stay ready: the release has failed.
  UNHEALTHY,
  /// The node's own rules refuse the release: signature, platform, protocol, expiry, downgrade.
  REFUSED,
  /// The artifact could not be fetched or kept, which is not the release's fault (R14). On a
  /// confirmed node it means that the node can no longer revert.
  INFRASTRUCTURE,
  /// No confirm came in time: the node was cut off, the release is not to blame.
  UNCONFIRMED,
  /// A driver ordered the node to go back.
  ORDERED
}
