package keyfleet.rollout.controller;

/// How many nodes failed, and how many were attempted, that is, ordered to take the release,
/// whatever the result. Nodes that were absent or turned out to belong to another rollout were not
/// attempted (R14).
public record FailureCount(long failed, long attempted) {
  static final FailureCount NONE = new FailureCount(0, 0);

  FailureCount plus(NodeEntry place, int first) {
    NodeProgress standing = place.standing();
    boolean begun = standing.isBegun() || place.attempt() > first;
    return new FailureCount(failed + (standing.isFailed() ? 1 : 0), attempted + (begun ? 1 : 0));
  }

  FailureCount plusGood(long nodes) {
    return new FailureCount(failed, attempted + nodes);
  }
}
