package keyfleet.crypto;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;

/// A KEK whose 32 bytes are in the memory of this process. The package description has the two
/// forms of a wrapped DEK: it writes form 2 and reads both.
public final class SoftwareKek implements Kek, AutoCloseable {
  public static final int BYTES = 32;

  private static final int FORM_1_BYTES = DerivedKeyAead.OVERHEAD_BYTES + Dek.BYTES;
  private static final int FORM_2_BYTES = 1 + FORM_1_BYTES;
  private static final byte FORM_2_MARKER = 2;
  private static final byte[] EXTRACT_SALT = "keyfleet-wrap-2".getBytes(US_ASCII);

  private final KekVersion version;
  private final SecretBytes key;
  private final Hkdf wrapHkdf;
  private final SecureRandom random;

  /// Takes ownership of `key`: closing the KEK closes it.
  public SoftwareKek(KekVersion version, SecretBytes key, SecureRandom random) {
    if (key.length() != BYTES) {
      throw new IllegalArgumentException("a KEK has 32 bytes, not " + key.length());
    }
    this.version = version;
    this.key = key;
    this.wrapHkdf = Hkdf.extract(key, EXTRACT_SALT);
    this.random = random;
  }

  @Override
  public KekVersion version() {
    return version;
  }

  @Override
  public byte[] wrap(Dek dek, byte[] aad) {
    byte[] sealedMessage = DerivedKeyAead.seal(this::deriveKeys, aad, dek.bytes(), random);
    byte[] wrapped = new byte[FORM_2_BYTES];
    wrapped[0] = FORM_2_MARKER;
    System.arraycopy(sealedMessage, 0, wrapped, 1, sealedMessage.length);
    return wrapped;
  }

  @Override
  public Optional<Dek> unwrap(byte[] wrapped, byte[] aad) {
    if (wrapped.length == FORM_1_BYTES) {
      return DerivedKeyAead.open(DerivedKeyAead.Purpose.WRAP.derivationFrom(key), aad, wrapped)
          .map(Dek::new);
    }
    return wrapped.length == FORM_2_BYTES && wrapped[0] == FORM_2_MARKER
        ? DerivedKeyAead.open(this::deriveKeys, aad, Arrays.copyOfRange(wrapped, 1, FORM_2_BYTES))
            .map(Dek::new)
        : Optional.empty();
  }

  private byte[] deriveKeys(byte[] salt) {
    return wrapHkdf.expand(salt, DerivedKeyAead.DERIVED_BYTES);
  }

  public boolean hasSameBytesAs(SoftwareKek other) {
    return key.equals(other.key);
  }

  @Override
  public void close() {
    key.close();
    wrapHkdf.close();
  }
}
