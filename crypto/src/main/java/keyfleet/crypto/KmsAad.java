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
    LengthPrefixedWriter items = start("key-id", keyringId).int32(version.number()).int64(epoch);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(digest(items.encoded()));
  }

  /// For a local KEK, wrapped by the KEK that `keyId` names.
  public static byte[] ofLocalKek(String keyringId, String keyId) {
    return start("kms-local-kek", keyringId).utf8(keyId).encoded();
  }

  /// For a key that seals one value, wrapped by the KEK that `keyId` names.
  public static byte[] ofDek(String keyringId, String keyId) {
    return start("kms-dek", keyringId).utf8(keyId).encoded();
  }

  /// For a value under a key that is stored as `wrapped`: neither can be given to another.
  public static byte[] ofValue(String keyringId, String keyId, byte[] wrapped) {
    return start("kms-value", keyringId).utf8(keyId).bytes(digest(wrapped)).encoded();
  }

  private static LengthPrefixedWriter start(String what, String keyringId) {
    return new LengthPrefixedWriter().utf8(PRODUCT).utf8(what).utf8(keyringId);
  }

  private static byte[] digest(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JVM has no SHA-256", e);
    }
  }
}
