package keyfleet.crypto;

import java.security.SecureRandom;
import java.util.Optional;

/// A KEK whose 32 bytes this process holds. The wrapped DEK is a box of suite 1.
public final class SoftwareKek implements Kek, AutoCloseable {
  public static final int BYTES = 32;

  private final KekVersion version;
  private final SecretBytes key;
  private final SecureRandom random;

  /// Takes over `key` and closes it with itself.
  public SoftwareKek(KekVersion version, SecretBytes key, SecureRandom random) {
    if (key.length() != BYTES) {
      throw new IllegalArgumentException("a KEK has 32 bytes, not " + key.length());
    }
    this.version = version;
    this.key = key;
    this.random = random;
  }

  @Override
  public KekVersion version() {
    return version;
  }

  @Override
  public byte[] wrap(Dek dek, byte[] aad) {
    return Box.seal(key, Box.Purpose.WRAP, aad, dek.bytes(), random);
  }

  @Override
  public Optional<Dek> unwrap(byte[] wrapped, byte[] aad) {
    return wrapped.length == Box.OVERHEAD + Dek.BYTES
        ? Box.open(key, Box.Purpose.WRAP, aad, wrapped).map(Dek::new)
        : Optional.empty();
  }

  public boolean hasSameBytesAs(SoftwareKek other) {
    return key.equals(other.key);
  }

  @Override
  public void close() {
    key.close();
  }
}
