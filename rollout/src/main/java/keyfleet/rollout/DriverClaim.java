package keyfleet.rollout;

/// A driver's claim to lead a rollout (R1): the epoch, won by creating its key, and a nonce that
/// distinguishes two drivers that both believe they won it.
public record DriverClaim(long epoch, String nonce) {
  /// Before any driver has claimed the rollout.
  public static final DriverClaim NONE = new DriverClaim(0, "");

  public DriverClaim {
    if (epoch < 0 || (epoch == 0) != nonce.isEmpty()) {
      throw new IllegalArgumentException("a claim needs a positive epoch and a nonce: " + epoch);
    }
  }

  /// Whether a node that has obeyed this claim obeys `next` (R2): it has a higher epoch, or it is
  /// the same claim.
  public boolean canYieldTo(DriverClaim next) {
    return next.epoch > epoch || next.equals(this);
  }
}
