package keyfleet.watchdog;

import keyfleet.rollout.release.ReleaseVerdict;

/// How far the fetch of a release has got.
public sealed interface Fetching {
  record UnderWay() implements Fetching {}

  /// The rules have been checked; if they accept the release, it is in its slot, complete and
  /// verified.
  record Ended(ReleaseVerdict releaseVerdict) implements Fetching {}

  /// The release could not be fetched or stored; this attempt does not try again.
  record Failed(String reason) implements Fetching {
    /// The reason goes into the node's report, which must fit into the store.
    static final int MAX_REASON = 500;

    public Failed {
      reason = reason.substring(0, Math.min(reason.length(), MAX_REASON));
    }
  }
}
