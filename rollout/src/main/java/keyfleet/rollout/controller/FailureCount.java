package keyfleet.rollout.controller;

/// How many nodes failed, and how many were attempted, that is, ordered to take the release,
/// whatever the result. Nodes that were absent or turned out to belong to another rollout were not
/// attempted (R14).
public record FailureCount(long failed, long attempted) {
  static final FailureCount NONE = new FailureCount(0, 0);

  FailureCount plusNode(NodeEntry entry, int first) {
    NodeProgress progress = entry.progress();
    boolean wasAttempted = progress.isAttempted() || entry.attempt() > first;
    return new FailureCount(
        failed + (progress.isFailed() ? 1 : 0), attempted + (wasAttempted ? 1 : 0));
  }

  FailureCount plusSucceeded(long nodes) {
    return new FailureCount(failed, attempted + nodes);
  }
}
