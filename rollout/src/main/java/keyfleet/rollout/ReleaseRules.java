package keyfleet.rollout;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import keyfleet.rollout.Verdict.Acceptable;
import keyfleet.rollout.Verdict.Downgrade;
import keyfleet.rollout.Verdict.Expired;
import keyfleet.rollout.Verdict.NotAllowedFrom;
import keyfleet.rollout.Verdict.ProtocolTooOld;
import keyfleet.rollout.Verdict.Reason;
import keyfleet.rollout.Verdict.TooFewSignatures;
import keyfleet.rollout.Verdict.Unacceptable;
import keyfleet.rollout.Verdict.WrongPlatform;

/// The rules for a release on one node (R21). The node checks them itself: even a party that can
/// command the node cannot make it run what the pinned keys did not sign. The artifact's size and
/// digest are checked where its bytes are.
public final class ReleaseRules {
  private ReleaseRules() {}

  /// Whether the node may update to `release`.
  public static Verdict check(
      SignedManifest release,
      TrustedKeys keys,
      NodeSoftware node,
      List<DowngradePermit> permits,
      Instant now) {
    Manifest manifest = release.manifest();
    List<Reason> reasons = lasting(release, keys, node);
    if (!manifest.allowsFrom(node.running())) {
      reasons.add(new NotAllowedFrom(node.running()));
    }
    if (!now.isBefore(manifest.expiry())) {
      reasons.add(new Expired(manifest.expiry()));
    }
    if (manifest.counter() < node.floor() && !permitted(manifest, keys, node, permits)) {
      reasons.add(new Downgrade(manifest.counter(), node.floor()));
    }
    return verdict(reasons);
  }

  /// Whether the node may start, or roll back to, a release that it has installed already. The
  /// rules for an update do not apply: an expiry must stop neither a running release nor a
  /// rollback.
  public static Verdict checkHeld(SignedManifest release, TrustedKeys keys, NodeSoftware node) {
    return verdict(lasting(release, keys, node));
  }

  private static List<Reason> lasting(SignedManifest release, TrustedKeys keys, NodeSoftware node) {
    Manifest manifest = release.manifest();
    List<Reason> reasons = new ArrayList<>();
    int valid = keys.signers(manifest.encoded(), release.signatures()).size();
    if (valid < keys.threshold()) {
      reasons.add(new TooFewSignatures(valid, keys.threshold()));
    }
    if (!manifest.platform().equals(node.platform())) {
      reasons.add(new WrongPlatform(manifest.platform(), node.platform()));
    }
    if (node.protocol() < manifest.minProtocol()) {
      reasons.add(new ProtocolTooOld(node.protocol(), manifest.minProtocol()));
    }
    return reasons;
  }

  private static boolean permitted(
      Manifest manifest, TrustedKeys keys, NodeSoftware node, List<DowngradePermit> permits) {
    Sha256 digest = manifest.digest();
    return permits.stream().anyMatch(permit -> permit.covers(digest, node.floor(), keys));
  }

  private static Verdict verdict(List<Reason> reasons) {
    return reasons.isEmpty() ? new Acceptable() : new Unacceptable(reasons);
  }
}
