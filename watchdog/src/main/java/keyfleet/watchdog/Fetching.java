package keyfleet.watchdog;

import keyfleet.rollout.Verdict;

/// How far the fetching of a release is.
public sealed interface Fetching {
  record UnderWay() implements Fetching {}

  /// The rules have spoken; if they accept the release, it is in its slot, whole and checked.
  record Ended(Verdict verdict) implements Fetching {}

  /// It could not be had, or not be kept; no more is tried for this attempt.
  record Failed(String reason) implements Fetching {
    /// The reason goes into the node's report, which has to fit into the store.
    static final int MAX_REASON = 500;

    public Failed {
      reason = reason.substring(0, Math.min(reason.length(), MAX_REASON));
    }
  }
}
