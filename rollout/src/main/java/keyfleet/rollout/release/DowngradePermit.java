package keyfleet.rollout.release;

import java.util.List;
import keyfleet.rollout.CanonicalEncoder;
import keyfleet.rollout.Sha256;

/// A statement signed by the release keys that one manifest may go below the counter floor. It is
/// valid up to the floor it names, so an old permit does not allow going below a later floor.
public record DowngradePermit(Sha256 manifest, long floor, List<ReleaseSignature> signatures) {
  public DowngradePermit {
    signatures = TrustedReleaseKeys.copyBounded(signatures);
  }

  /// The bytes that are signed.
  public static byte[] signedBytes(Sha256 manifest, long floor) {
    return new CanonicalEncoder("keyfleet-downgrade-1")
        .addDigest(manifest)
        .addLong(floor)
        .toBytes();
  }

  boolean isValidFor(Sha256 wanted, long currentFloor, TrustedReleaseKeys keys) {
    return manifest.equals(wanted)
        && currentFloor <= floor
        && keys.signers(signedBytes(manifest, floor), signatures).size() >= keys.threshold();
  }
}
