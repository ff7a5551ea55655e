package keyfleet.crypto;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/// What the bytes of a KMS plugin are bound to, and what they are called. The keyring stands in all
/// of it by the random id of its keystore: a keyring that was made anew under the same name is
/// another one.
public final class KmsAad {
  private static final String PRODUCT = "keyfleet-kms-1";

  private KmsAad() {}

  /// The name of a key to Kubernetes: it differs for each activation, also of the same version.
  public static String keyId(String keyringId, KekVersion version, long epoch) {
    LengthPrefixedWriter writer =
        startWriter("key-id", keyringId).putInt(version.number()).putLong(epoch);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(digest(writer.toBytes()));
  }

  /// For a local KEK, wrapped by the KEK that `keyId` names.
  public static byte[] ofLocalKek(String keyringId, String keyId) {
    return startWriter("kms-local-kek", keyringId).putUtf8(keyId).toBytes();
  }

  /// For a key that seals one value, wrapped by the KEK that `keyId` names.
  public static byte[] ofDek(String keyringId, String keyId) {
    return startWriter("kms-dek", keyringId).putUtf8(keyId).toBytes();
  }

  /// For a value under a key that is stored as `wrapped`: neither can be given to another.
  public static byte[] ofValue(String keyringId, String keyId, byte[] wrapped) {
    return startWriter("kms-value", keyringId).putUtf8(keyId).putBytes(digest(wrapped)).toBytes();
  }

  private static LengthPrefixedWriter startWriter(String purpose, String keyringId) {
    return new LengthPrefixedWriter().putUtf8(PRODUCT).putUtf8(purpose).putUtf8(keyringId);
  }

  private static byte[] digest(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JVM has no SHA-256", e);
    }
  }
}
