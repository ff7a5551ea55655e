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
  /// commitment, [#DERIVED_BYTES] bytes together, for the caller to wipe.
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
    KeyDerivation derivationFrom(SecretBytes key) {
      return salt ->
          Hkdf.derive(key, salt, info.getBytes(StandardCharsets.US_ASCII), DERIVED_BYTES);
    }
  }

  static final int SALT_BYTES = 32;
  static final int COMMITMENT_BYTES = 32;
  static final int TAG_BYTES = 16;
  static final int OVERHEAD_BYTES = SALT_BYTES + COMMITMENT_BYTES + TAG_BYTES;

  private static final int KEY_BYTES = 32;

  static final int DERIVED_BYTES = KEY_BYTES + COMMITMENT_BYTES;

  /// Fixed, because each derived key seals exactly one message: a random nonce would add nothing.
  private static final GCMParameterSpec ZERO_NONCE =
      new GCMParameterSpec(TAG_BYTES * 8, new byte[12]);

  private static final String GCM = "AES/GCM/NoPadding";

  /// The provider that the JVM is set up with, looked for once: the search costs as much as a short
  /// message.
  static final Provider PROVIDER = findProvider();

  /// Kept by each thread, as making one costs half of a short message, and they may not be shared.
  /// They remember the keys of their last message, which open that one alone.
  private static final ThreadLocal<Cipher> SEALER =
      ThreadLocal.withInitial(DerivedKeyAead::newCipher);

  private static final ThreadLocal<Cipher> OPENER =
      ThreadLocal.withInitial(DerivedKeyAead::newCipher);

  private DerivedKeyAead() {}

  /// Makes the JVM initialise this class, and with it the provider.
  static void initialize() {}

  static byte[] seal(KeyDerivation keys, byte[] aad, SecretBytes plaintext, SecureRandom random) {
    byte[] salt = new byte[SALT_BYTES];
    random.nextBytes(salt);
    byte[] derived = keys.derive(salt);
    byte[] plain = plaintext.reveal(SecretAccess.granted());
    try {
      byte[] sealedMessage = new byte[OVERHEAD_BYTES + plain.length];
      System.arraycopy(salt, 0, sealedMessage, 0, SALT_BYTES);
      System.arraycopy(derived, KEY_BYTES, sealedMessage, SALT_BYTES, COMMITMENT_BYTES);
      Cipher gcm = initCipher(Cipher.ENCRYPT_MODE, derived, ZERO_NONCE, aad);
      gcm.doFinal(plain, 0, plain.length, sealedMessage, SALT_BYTES + COMMITMENT_BYTES);
      return sealedMessage;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-256-GCM failed to encrypt", e);
    } finally {
      Arrays.fill(derived, (byte) 0);
      Arrays.fill(plain, (byte) 0);
    }
  }

  static Optional<SecretBytes> open(KeyDerivation keys, byte[] aad, byte[] sealedMessage) {
    if (sealedMessage.length < OVERHEAD_BYTES) {
      return Optional.empty();
    }
    byte[] derived = keys.derive(Arrays.copyOf(sealedMessage, SALT_BYTES));
    try {
      if (!hasValidCommitment(derived, sealedMessage)) {
        return Optional.empty();
      }
      Cipher gcm = initCipher(Cipher.DECRYPT_MODE, derived, ZERO_NONCE, aad);
      int ciphertextStart = SALT_BYTES + COMMITMENT_BYTES;
      return Optional.of(
          SecretBytes.owning(
              gcm.doFinal(sealedMessage, ciphertextStart, sealedMessage.length - ciphertextStart)));
    } catch (AEADBadTagException e) {
      return Optional.empty();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-256-GCM failed to decrypt", e);
    } finally {
      Arrays.fill(derived, (byte) 0);
    }
  }

  /// GCM alone lets one ciphertext open under two keys; the commitment does not (CVE-2020-8897).
  private static boolean hasValidCommitment(byte[] derived, byte[] sealedMessage) {
    return MessageDigest.isEqual(
        Arrays.copyOfRange(derived, KEY_BYTES, KEY_BYTES + COMMITMENT_BYTES),
        Arrays.copyOfRange(sealedMessage, SALT_BYTES, SALT_BYTES + COMMITMENT_BYTES));
  }

  /// This thread's cipher: it is used up before the next one is asked for.
  static Cipher initCipher(int mode, byte[] key, GCMParameterSpec nonce, byte[] aad)
      throws GeneralSecurityException {
    SecretKeySpec keySpec = new SecretKeySpec(key, 0, KEY_BYTES, "AES");
    Cipher cipher = mode == Cipher.DECRYPT_MODE ? OPENER.get() : SEALER.get();
    try {
      cipher.init(mode, keySpec, nonce);
    } catch (InvalidAlgorithmParameterException e) {
      // It refuses to repeat the key and nonce of its last message. A random source repeats only
      // if it is seeded, and a test that seeds it means to have the same bytes again.
      cipher = newCipher();
      cipher.init(mode, keySpec, nonce);
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

  private static Provider findProvider() {
    try {
      return Cipher.getInstance(GCM).getProvider();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JVM has no AES-GCM", e);
    }
  }
}
