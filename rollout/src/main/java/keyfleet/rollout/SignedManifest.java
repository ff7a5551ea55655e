package keyfleet.rollout;

import java.util.List;

/// A manifest and what was signed over its encoding. Nothing is verified yet: [ReleaseRules] does.
public record SignedManifest(Manifest manifest, List<KeySignature> signatures) {
  public SignedManifest {
    signatures = TrustedKeys.bounded(signatures);
  }
}
