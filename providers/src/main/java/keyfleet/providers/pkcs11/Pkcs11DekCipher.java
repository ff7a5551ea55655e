package keyfleet.providers.pkcs11;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import keyfleet.crypto.Dek;
import keyfleet.crypto.SecretAccess;
import keyfleet.crypto.SecretBytes;

/// Seals and opens DEKs with a key that never leaves its token: AES-256-GCM, entirely on the token.
///
/// | bytes    | content                                                                 |
/// |----------|-------------------------------------------------------------------------|
/// | 1        | format: `01`                                                            |
/// | 1        | length of the IV: 12 to 16                                              |
/// | 12 to 16 | IV: 12 random bytes, or what the token replaced them with               |
/// | 32       | ciphertext                                                              |
/// | 16       | tag                                                                     |
final class Pkcs11DekCipher {
  private static final byte FORMAT = 1;
  private static final int HEADER_BYTES = 2;
  private static final int SEALED_BYTES = Dek.BYTES + CryptokiGcm.TAG_BYTES;

  private final CryptokiGcm gcm;
  private final SecureRandom random;

  Pkcs11DekCipher(CryptokiGcm gcm, SecureRandom random) {
    this.gcm = gcm;
    this.random = random;
  }

  byte[] seal(Pkcs11Session session, long key, Dek dek, byte[] aad) {
    byte[] iv = new byte[CryptokiGcm.MIN_IV_BYTES];
    random.nextBytes(iv);
    byte[] plaintext = dek.bytes().reveal(SecretAccess.granted());
    try {
      byte[] body = gcm.encrypt(session, key, iv, aad, plaintext);
      byte ivLength = (byte) (body.length - SEALED_BYTES);
      return ByteBuffer.allocate(HEADER_BYTES + body.length)
          .put(FORMAT)
          .put(ivLength)
          .put(body)
          .array();
    } finally {
      Arrays.fill(plaintext, (byte) 0);
    }
  }

  /// Requires a `wrapped` for which [#isWellFormed] is true.
  Dek open(Pkcs11Session session, long key, byte[] wrapped, byte[] aad) {
    int sealedAt = HEADER_BYTES + wrapped[1];
    byte[] iv = Arrays.copyOfRange(wrapped, HEADER_BYTES, sealedAt);
    byte[] sealed = Arrays.copyOfRange(wrapped, sealedAt, wrapped.length);
    byte[] plaintext = gcm.decrypt(session, key, iv, aad, sealed);
    try {
      return new Dek(SecretBytes.copyOf(plaintext));
    } finally {
      Arrays.fill(plaintext, (byte) 0);
    }
  }

  static boolean isWellFormed(byte[] wrapped) {
    int ivLength = wrapped.length - HEADER_BYTES - SEALED_BYTES;
    return ivLength >= CryptokiGcm.MIN_IV_BYTES
        && ivLength <= CryptokiGcm.MAX_IV_BYTES
        && wrapped[0] == FORMAT
        && wrapped[1] == ivLength;
  }
}
