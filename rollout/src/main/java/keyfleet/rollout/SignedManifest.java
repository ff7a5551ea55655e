package keyfleet.rollout;

import java.util.List;

/// A manifest and the signatures over its encoding. They are not verified yet: [ReleaseRules] does
/// that.
public record SignedManifest(Manifest manifest, List<KeySignature> signatures) {
  public SignedManifest {
    signatures = TrustedKeys.bounded(signatures);
  }
}
