package keyfleet.watchdog;

import keyfleet.rollout.Sha256;
import keyfleet.rollout.Verdict;

/// Where releases come from, and what the node's own rules say of them (R21).
public interface Artifacts {
  /// Begins to fetch a release into a slot of its own, or tells how far that is. It never waits. A
  /// release that the rules refuse is not fetched. Retries, and their limit, are its own; after
  /// [Fetching.Failed] the next call begins anew.
  Fetching fetch(Sha256 release);

  /// What the rules say now of a release that is held.
  Verdict judge(Sha256 release);
}
