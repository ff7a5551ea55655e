package keyfleet.rollout.release;

import java.util.List;

/// A manifest and the signatures over its encoding. They are not verified yet: [ReleaseRules] does
/// that.
public record SignedManifest(ReleaseManifest manifest, List<ReleaseSignature> signatures) {
  public SignedManifest {
    signatures = TrustedReleaseKeys.copyBounded(signatures);
  }
}
