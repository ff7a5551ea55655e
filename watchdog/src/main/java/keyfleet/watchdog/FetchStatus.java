package keyfleet.watchdog;

import keyfleet.rollout.release.ReleaseVerdict;

/// The progress of fetching one release.
public sealed interface FetchStatus {
  record InProgress() implements FetchStatus {}

  /// The rules have been checked; if they accept the release, it is in its slot, complete and
  /// verified.
  record Finished(ReleaseVerdict verdict) implements FetchStatus {}

  /// The release could not be fetched or stored; this attempt does not try again.
  record Failed(String reason) implements FetchStatus {
    /// The reason goes into the node's report, which must fit into the store.
    static final int MAX_REASON = 500;

    public Failed {
      reason = reason.substring(0, Math.min(reason.length(), MAX_REASON));
    }
  }
}
