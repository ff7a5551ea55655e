package keyfleet.rollout;

/// A driver's claim to lead a rollout (R1): the epoch, won by creating its key, and a nonce, by
/// which two that both believe to have won it are told apart.
public record Lead(long epoch, String nonce) {
  /// Before any driver led.
  public static final Lead NOBODY = new Lead(0, "");

  public Lead {
    if (epoch < 0 || (epoch == 0) != nonce.isEmpty()) {
      throw new IllegalArgumentException("an epoch is positive and has a nonce: " + epoch);
    }
  }

  /// Whether a node that has obeyed this lead obeys `next` (R2): a higher epoch, or the very same
  /// claim again.
  public boolean yieldsTo(Lead next) {
    return next.epoch > epoch || next.equals(this);
  }
}
