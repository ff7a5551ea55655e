package keyfleet.rollout;

/// How many nodes failed, and how many were attempted, that is, ordered to take the release,
/// whatever the result. Nodes that were absent or turned out to belong to another rollout were not
/// attempted (R14).
public record Tally(long failed, long attempted) {
  static final Tally NONE = new Tally(0, 0);

  Tally plus(Place place, int first) {
    Standing standing = place.standing();
    boolean begun = standing.isBegun() || place.attempt() > first;
    return new Tally(failed + (standing.isFailed() ? 1 : 0), attempted + (begun ? 1 : 0));
  }

  Tally plusGood(long nodes) {
    return new Tally(failed, attempted + nodes);
  }
}
