package keyfleet.crypto;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/// The additional authenticated data of the KMS plugin, and the key_id that Kubernetes sees. All of
/// it contains the random id of the keystore: a keyring that was recreated under the same name is
/// another keyring.
public final class KmsAad {
  private static final String PRODUCT = "keyfleet-kms-1";

  private KmsAad() {}

  /// The key_id. It differs for each activation, also of the same version.
  public static String keyId(String keyringId, KekVersion version, long epoch) {
    LengthPrefixedWriter writer =
        startWriter("key-id", keyringId).putInt(version.number()).putLong(epoch);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(digest(writer.toBytes()));
  }

  /// For a local KEK that is wrapped by the KEK named `keyId`.
  public static byte[] ofLocalKek(String keyringId, String keyId) {
    return startWriter("kms-local-kek", keyringId).putUtf8(keyId).toBytes();
  }

  /// For a DEK that seals one value and is wrapped by the KEK named `keyId`.
  public static byte[] ofDek(String keyringId, String keyId) {
    return startWriter("kms-dek", keyringId).putUtf8(keyId).toBytes();
  }

  /// For a value under the key that is stored as `wrapped`: value and key cannot be exchanged.
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
