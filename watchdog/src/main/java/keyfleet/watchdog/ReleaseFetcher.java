package keyfleet.watchdog;

import keyfleet.rollout.Sha256;
import keyfleet.rollout.release.ReleaseVerdict;

/// Fetches releases and checks them by the node's own rules (R21).
public interface ReleaseFetcher {
  /// Starts to fetch a release into a slot of its own, or returns how far the fetch has got. It
  /// never blocks and does not fetch a release that the rules refuse. It does its own retries, with
  /// its own limit; after [FetchStatus.Failed] the next call starts again.
  FetchStatus fetch(Sha256 release);

  /// Checks an installed release by the rules as of now.
  ReleaseVerdict checkRules(Sha256 release);
}
