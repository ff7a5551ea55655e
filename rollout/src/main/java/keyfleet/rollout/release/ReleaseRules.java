package keyfleet.rollout.release;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.release.ReleaseVerdict.Acceptable;
import keyfleet.rollout.release.ReleaseVerdict.Downgrade;
import keyfleet.rollout.release.ReleaseVerdict.Expired;
import keyfleet.rollout.release.ReleaseVerdict.NotAllowedFrom;
import keyfleet.rollout.release.ReleaseVerdict.ProtocolTooOld;
import keyfleet.rollout.release.ReleaseVerdict.Reason;
import keyfleet.rollout.release.ReleaseVerdict.TooFewSignatures;
import keyfleet.rollout.release.ReleaseVerdict.Unacceptable;
import keyfleet.rollout.release.ReleaseVerdict.WrongPlatform;

/// The rules for a release on one node (R21). The node checks them itself: even a party that can
/// command the node cannot make it run what the pinned keys did not sign. The artifact's size and
/// digest are checked where its bytes are.
public final class ReleaseRules {
  private ReleaseRules() {}

  /// Whether the node may update to `release`.
  public static ReleaseVerdict check(
      SignedManifest release,
      TrustedReleaseKeys keys,
      NodeSoftware node,
      List<DowngradePermit> permits,
      Instant now) {
    ReleaseManifest manifest = release.manifest();
    List<Reason> reasons = new ArrayList<>();
    int valid = keys.signers(manifest.signedBytes(), release.signatures()).size();
    if (valid < keys.threshold()) {
      reasons.add(new TooFewSignatures(valid, keys.threshold()));
    }
    if (!manifest.platform().equals(node.platform())) {
      reasons.add(new WrongPlatform(manifest.platform(), node.platform()));
    }
    if (node.protocol() < manifest.minProtocol()) {
      reasons.add(new ProtocolTooOld(node.protocol(), manifest.minProtocol()));
    }
    if (!manifest.canUpdateFrom(node.running())) {
      reasons.add(new NotAllowedFrom(node.running()));
    }
    if (!now.isBefore(manifest.expiry())) {
      reasons.add(new Expired(manifest.expiry()));
    }
    if (manifest.counter() < node.floor() && !isPermitted(manifest, keys, node, permits)) {
      reasons.add(new Downgrade(manifest.counter(), node.floor()));
    }
    return reasons.isEmpty() ? new Acceptable() : new Unacceptable(reasons);
  }

  private static boolean isPermitted(
      ReleaseManifest manifest,
      TrustedReleaseKeys keys,
      NodeSoftware node,
      List<DowngradePermit> permits) {
    Sha256 digest = manifest.digest();
    return permits.stream().anyMatch(permit -> permit.isValidFor(digest, node.floor(), keys));
  }
}
