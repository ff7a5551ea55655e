/// Signed releases: whether enough trusted keys signed a release, and which nodes may run it.
///
/// The signed bytes are lists of items as described in the package [keyfleet.rollout]:
///
/// | format                 | items after it                                                      |
/// |------------------------|---------------------------------------------------------------------|
/// | `keyfleet-manifest-1`  | component, version, platform, sha256 (32 bytes), size (8), min      |
/// |                        | protocol (4), allowed-from (list), expiry in seconds (8), counter (8) |
/// | `keyfleet-downgrade-1` | manifest digest (32 bytes), floor (8)                               |
///
/// Start reading at: [ReleaseManifest], [TrustedReleaseKeys], [ReleaseRules].
@NullMarked
package keyfleet.rollout.release;

import org.jspecify.annotations.NullMarked;
