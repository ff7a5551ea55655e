package keyfleet.sim.cipher;

import java.security.SecureRandom;
import keyfleet.sim.host.SeededRandom;

/// Random bytes for the ciphers, the same in each run of a seed.
public final class SeededSecureRandom extends SecureRandom {
  private static final long serialVersionUID = 1L;

  private final transient SeededRandom random;

  public SeededSecureRandom(SeededRandom random) {
    super(null, null);
    this.random = random;
  }

  @Override
  public void nextBytes(byte[] bytes) {
    for (int i = 0; i < bytes.length; i += Long.BYTES) {
      random.fill(bytes, i);
    }
  }
}
