package keyfleet.crypto;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;

/// A KEK whose 32 bytes this process holds. How it wraps a DEK is in the package's description:
/// always in form 2. It unwraps form 1 as well.
public final class SoftwareKek implements Kek, AutoCloseable {
  public static final int BYTES = 32;

  private static final int FORM_1 = DerivedKeyAead.OVERHEAD + Dek.BYTES;
  private static final int FORM_2 = 1 + FORM_1;
  private static final byte FORM = 2;
  private static final byte[] LABEL = "keyfleet-wrap-2".getBytes(US_ASCII);

  private final KekVersion version;
  private final SecretBytes key;
  private final Hkdf wraps;
  private final SecureRandom random;

  /// Takes over `key` and closes it with itself.
  public SoftwareKek(KekVersion version, SecretBytes key, SecureRandom random) {
    if (key.length() != BYTES) {
      throw new IllegalArgumentException("a KEK has 32 bytes, not " + key.length());
    }
    this.version = version;
    this.key = key;
    this.wraps = Hkdf.extract(key, LABEL);
    this.random = random;
  }

  @Override
  public KekVersion version() {
    return version;
  }

  @Override
  public byte[] wrap(Dek dek, byte[] aad) {
    byte[] box = DerivedKeyAead.seal(this::keysOf, aad, dek.bytes(), random);
    byte[] wrapped = new byte[FORM_2];
    wrapped[0] = FORM;
    System.arraycopy(box, 0, wrapped, 1, box.length);
    return wrapped;
  }

  @Override
  public Optional<Dek> unwrap(byte[] wrapped, byte[] aad) {
    if (wrapped.length == FORM_1) {
      return DerivedKeyAead.open(DerivedKeyAead.Purpose.WRAP.from(key), aad, wrapped).map(Dek::new);
    }
    return wrapped.length == FORM_2 && wrapped[0] == FORM
        ? DerivedKeyAead.open(this::keysOf, aad, Arrays.copyOfRange(wrapped, 1, FORM_2))
            .map(Dek::new)
        : Optional.empty();
  }

  private byte[] keysOf(byte[] salt) {
    return wraps.expand(salt, DerivedKeyAead.DERIVED);
  }

  public boolean hasSameBytesAs(SoftwareKek other) {
    return key.equals(other.key);
  }

  @Override
  public void close() {
    key.close();
    wraps.close();
  }
}
