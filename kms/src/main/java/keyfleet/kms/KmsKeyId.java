package keyfleet.kms;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import keyfleet.crypto.KmsAad;
import keyfleet.keyring.Keystore.Activation;

/// The key_id of the KMS v2 contract: it names one activation of one version of one keyring, and is
/// never reused.
public record KmsKeyId(String text) {
  public static KmsKeyId of(String keyringId, Activation activation) {
    return new KmsKeyId(KmsAad.keyId(keyringId, activation.version(), activation.epoch()));
  }

  /// The hash in the form of an API server's metrics and logs, so that an operator can compare the
  /// two.
  public String hash() {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      byte[] digest = sha.digest(text.getBytes(StandardCharsets.UTF_8));
      return "sha256:" + HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JVM has no SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
