package keyfleet.rollout;

import java.util.List;

/// A statement signed by the release keys that one manifest may go below the counter floor. It is
/// valid up to the floor it names, so an old permit does not allow going below a later floor.
public record DowngradePermit(Sha256 manifest, long floor, List<KeySignature> signatures) {
  public DowngradePermit {
    signatures = TrustedKeys.bounded(signatures);
  }

  /// The bytes that are signed.
  public static byte[] encoded(Sha256 manifest, long floor) {
    return new Items("keyfleet-downgrade-1").digest(manifest).int64(floor).encoded();
  }

  boolean covers(Sha256 wanted, long currentFloor, TrustedKeys keys) {
    return manifest.equals(wanted)
        && currentFloor <= floor
        && keys.signers(encoded(manifest, floor), signatures).size() >= keys.threshold();
  }
}
