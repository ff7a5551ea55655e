package keyfleet.crypto;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// AES-256-GCM under one key with a random nonce for each value: `nonce (12) | ciphertext | tag
/// (16)`. It is cheaper than [DerivedKeyAead], but one key is safe for a limited number of values:
/// 2^32 in theory; the callers here stop at 2^22.
public final class RandomNonceAead {
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BYTES = 16;

  /// The number of bytes that sealing adds to a value.
  public static final int OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES;

  /// One per thread: creating a cipher costs more than a short value. Each remembers the key of its
  /// last value.
  private static final ThreadLocal<Cipher> SEALER =
      ThreadLocal.withInitial(DerivedKeyAead::newCipher);

  private static final ThreadLocal<Cipher> OPENER =
      ThreadLocal.withInitial(DerivedKeyAead::newCipher);

  private RandomNonceAead() {}

  /// Returns `prefix`, followed by the sealed value, in one array.
  public static byte[] seal(Dek key, byte[] aad, byte[] prefix, byte[] plain, SecureRandom random) {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    byte[] sealed = Arrays.copyOf(prefix, prefix.length + OVERHEAD_BYTES + plain.length);
    System.arraycopy(nonce, 0, sealed, prefix.length, NONCE_BYTES);
    byte[] bytes = key.bytes().reveal(SecretAccess.granted());
    try {
      Cipher gcm = SEALER.get();
      gcm.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(bytes, "AES"), nonceSpec(nonce, 0));
      gcm.updateAAD(aad);
      gcm.doFinal(plain, 0, plain.length, sealed, prefix.length + NONCE_BYTES);
      return sealed;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-256-GCM failed to encrypt", e);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  /// The value that is sealed in `sealed` from `start` on; the caller wipes it. Empty if it was not
  /// sealed under this key for this `aad`.
  public static Optional<byte[]> open(Dek key, byte[] aad, byte[] sealed, int start) {
    int length = sealed.length - start - NONCE_BYTES;
    if (length < TAG_BYTES) {
      return Optional.empty();
    }
    byte[] bytes = key.bytes().reveal(SecretAccess.granted());
    try {
      Cipher gcm = OPENER.get();
      gcm.init(Cipher.DECRYPT_MODE, new SecretKeySpec(bytes, "AES"), nonceSpec(sealed, start));
      gcm.updateAAD(aad);
      return Optional.of(gcm.doFinal(sealed, start + NONCE_BYTES, length));
    } catch (AEADBadTagException e) {
      return Optional.empty();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-256-GCM failed to decrypt", e);
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  private static GCMParameterSpec nonceSpec(byte[] from, int start) {
    return new GCMParameterSpec(TAG_BYTES * Byte.SIZE, from, start, NONCE_BYTES);
  }
}
