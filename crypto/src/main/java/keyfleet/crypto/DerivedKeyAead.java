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

/// AES-256-GCM under a key that is derived for one message alone, with a commitment to that key.
final class DerivedKeyAead {
  /// Derives the keys of one message from a unique salt: first the cipher key, then the commitment,
  /// together [#DERIVED_BYTES] bytes. The caller wipes them.
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

  /// Fixed: each derived key seals exactly one message, so a random nonce would add nothing.
  private static final GCMParameterSpec ZERO_NONCE =
      new GCMParameterSpec(TAG_BYTES * 8, new byte[12]);

  private static final String GCM = "AES/GCM/NoPadding";

  /// The JVM's default provider, looked up once: the lookup costs as much as a short message.
  static final Provider PROVIDER = findProvider();

  /// One per thread: creating a cipher costs half of a short message, and ciphers must not be
  /// shared. Each remembers the keys of its last message, which open only that message.
  private static final ThreadLocal<Cipher> SEALER =
      ThreadLocal.withInitial(DerivedKeyAead::newCipher);

  private static final ThreadLocal<Cipher> OPENER =
      ThreadLocal.withInitial(DerivedKeyAead::newCipher);

  private DerivedKeyAead() {}

  /// Makes the JVM initialise this class and look up the provider.
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
          SecretBytes.takeOwnership(
              gcm.doFinal(sealedMessage, ciphertextStart, sealedMessage.length - ciphertextStart)));
    } catch (AEADBadTagException e) {
      return Optional.empty();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-256-GCM failed to decrypt", e);
    } finally {
      Arrays.fill(derived, (byte) 0);
    }
  }

  /// With GCM alone one ciphertext can open under two keys. The commitment prevents that
  /// (CVE-2020-8897).
  private static boolean hasValidCommitment(byte[] derived, byte[] sealedMessage) {
    return MessageDigest.isEqual(
        Arrays.copyOfRange(derived, KEY_BYTES, KEY_BYTES + COMMITMENT_BYTES),
        Arrays.copyOfRange(sealedMessage, SALT_BYTES, SALT_BYTES + COMMITMENT_BYTES));
  }

  /// This thread's cipher. The caller must finish with it before it asks for the next one.
  static Cipher initCipher(int mode, byte[] key, GCMParameterSpec nonce, byte[] aad)
      throws GeneralSecurityException {
    SecretKeySpec keySpec = new SecretKeySpec(key, 0, KEY_BYTES, "AES");
    Cipher cipher = mode == Cipher.DECRYPT_MODE ? OPENER.get() : SEALER.get();
    try {
      cipher.init(mode, keySpec, nonce);
    } catch (InvalidAlgorithmParameterException e) {
      // The cipher refuses to repeat the key and nonce of its last message. Only a seeded random
      // source repeats, and a test that seeds it wants the same bytes again.
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
