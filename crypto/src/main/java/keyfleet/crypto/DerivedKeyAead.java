package keyfleet.crypto;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.MessageDigest;
import java.security.Provider;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/// A message sealed under a key that is derived for it alone, with a commitment to that key.
final class DerivedKeyAead {
  /// The keys of one message, from a salt that no other has: first the cipher's, then the
  /// commitment, [#DERIVED] bytes together, for the caller to wipe.
  @FunctionalInterface
  interface KeyDerivation {
    byte[] derive(byte[] salt);
  }

  enum Purpose {
    WRAP("keyfleet\1wrap"),
    DATA("keyfleet\1data");

    /// Product, suite (one byte) and purpose.
    private final String info;

    Purpose(String info) {
      this.info = info;
    }

    /// Suite 1: both steps of HKDF, with the salt in the first.
    KeyDerivation from(SecretBytes key) {
      return salt -> Hkdf.derive(key, salt, info.getBytes(StandardCharsets.US_ASCII), DERIVED);
    }
  }

  static final int SALT = 32;
  static final int COMMITMENT = 32;
  static final int TAG = 16;
  static final int OVERHEAD = SALT + COMMITMENT + TAG;

  private static final int KEY = 32;

  static final int DERIVED = KEY + COMMITMENT;

  /// Fixed, because each derived key seals exactly one message: a random nonce would add nothing.
  private static final GCMParameterSpec ZERO_NONCE = new GCMParameterSpec(TAG * 8, new byte[12]);

  private static final String GCM = "AES/GCM/NoPadding";

  /// The provider that the JVM is set up with, looked for once: the search costs as much as a short
  /// message.
  static final Provider PROVIDER = provider();

  /// Kept by each thread, as making one costs half of a short message, and they may not be shared.
  /// They remember the keys of their last message, which open that one alone.
  private static final ThreadLocal<Cipher> SEALER =
      ThreadLocal.withInitial(DerivedKeyAead::newCipher);

  private static final ThreadLocal<Cipher> OPENER =
      ThreadLocal.withInitial(DerivedKeyAead::newCipher);

  private DerivedKeyAead() {}

  /// Makes the JVM initialise this class, and with it the provider.
  static void start() {}

  static byte[] seal(KeyDerivation keys, byte[] aad, SecretBytes plaintext, SecureRandom random) {
    byte[] salt = new byte[SALT];
    random.nextBytes(salt);
    byte[] derived = keys.derive(salt);
    byte[] plain = plaintext.reveal(SecretAccess.granted());
    try {
      byte[] box = new byte[OVERHEAD + plain.length];
      System.arraycopy(salt, 0, box, 0, SALT);
      System.arraycopy(derived, KEY, box, SALT, COMMITMENT);
      Cipher gcm = gcm(Cipher.ENCRYPT_MODE, derived, ZERO_NONCE, aad);
      gcm.doFinal(plain, 0, plain.length, box, SALT + COMMITMENT);
      return box;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-256-GCM failed to encrypt", e);
    } finally {
      Arrays.fill(derived, (byte) 0);
      Arrays.fill(plain, (byte) 0);
    }
  }

  static Optional<SecretBytes> open(KeyDerivation keys, byte[] aad, byte[] box) {
    if (box.length < OVERHEAD) {
      return Optional.empty();
    }
    byte[] derived = keys.derive(Arrays.copyOf(box, SALT));
    try {
      if (!commits(derived, box)) {
        return Optional.empty();
      }
      Cipher gcm = gcm(Cipher.DECRYPT_MODE, derived, ZERO_NONCE, aad);
      int sealed = SALT + COMMITMENT;
      return Optional.of(SecretBytes.owning(gcm.doFinal(box, sealed, box.length - sealed)));
    } catch (AEADBadTagException e) {
      return Optional.empty();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-256-GCM failed to decrypt", e);
    } finally {
      Arrays.fill(derived, (byte) 0);
    }
  }

  /// GCM alone lets one ciphertext open under two keys; the commitment does not (CVE-2020-8897).
  private static boolean commits(byte[] derived, byte[] box) {
    return MessageDigest.isEqual(
        Arrays.copyOfRange(derived, KEY, KEY + COMMITMENT),
        Arrays.copyOfRange(box, SALT, SALT + COMMITMENT));
  }

  /// This thread's cipher: it is used up before the next one is asked for.
  static Cipher gcm(int mode, byte[] key, GCMParameterSpec nonce, byte[] aad)
      throws GeneralSecurityException {
    SecretKeySpec once = new SecretKeySpec(key, 0, KEY, "AES");
    Cipher cipher = mode == Cipher.DECRYPT_MODE ? OPENER.get() : SEALER.get();
    try {
      cipher.init(mode, once, nonce);
    } catch (InvalidAlgorithmParameterException e) {
      // It refuses to repeat the key and nonce of its last message. A random source repeats only
      // if it is seeded, and a test that seeds it means to have the same bytes again.
      cipher = newCipher();
      cipher.init(mode, once, nonce);
    }
    cipher.updateAAD(aad);
    return cipher;
  }

  static Cipher newCipher() {
    try {
      return Cipher.getInstance(GCM, PROVIDER);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM has no AES-GCM", e);
    }
  }

  private static Provider provider() {
    try {
      return Cipher.getInstance(GCM).getProvider();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM has no AES-GCM", e);
    }
  }
}
