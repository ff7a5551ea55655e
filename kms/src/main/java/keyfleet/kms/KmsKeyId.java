package keyfleet.kms;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import keyfleet.crypto.KmsAad;
import keyfleet.keyring.Keystore.Activation;

/// What Kubernetes calls a key: one activation of one version of one keyring, and never another.
public record KmsKeyId(String text) {
  public static KmsKeyId of(String keyringId, Activation activation) {
    return new KmsKeyId(KmsAad.keyId(keyringId, activation.version(), activation.epoch()));
  }

  /// As the metrics and logs of an API server spell it, so that one can be held against the other.
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
