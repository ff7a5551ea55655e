package keyfleet.sim;

import java.security.SecureRandom;

/// Random bytes for the ciphers, the same in every run of a seed.
final class SimRandom extends SecureRandom {
  private static final long serialVersionUID = 1L;

  private final transient Dice dice;

  SimRandom(Dice dice) {
    super(null, null);
    this.dice = dice;
  }

  @Override
  public void nextBytes(byte[] bytes) {
    for (int i = 0; i < bytes.length; i += Long.BYTES) {
      dice.fill(bytes, i);
    }
  }
}
