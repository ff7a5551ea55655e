package keyfleet.crypto;

import java.security.SecureRandom;

/// A data key: 32 random bytes that seal one value and are wrapped by a KEK.
public final class Dek implements AutoCloseable {
  public static final int BYTES = 32;

  private final SecretBytes bytes;

  /// Takes ownership of `bytes`: closing the DEK closes them.
  public Dek(SecretBytes bytes) {
    if (bytes.length() != BYTES) {
      throw new IllegalArgumentException("a DEK has 32 bytes, not " + bytes.length());
    }
    this.bytes = bytes;
  }

  public static Dek random(SecureRandom random) {
    return new Dek(SecretBytes.random(BYTES, random));
  }

  public SecretBytes bytes() {
    return bytes;
  }

  boolean hasSameBytesAs(Dek other) {
    return bytes.equals(other.bytes);
  }

  @Override
  public void close() {
    bytes.close();
  }
}
