package keyfleet.crypto;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// An HMAC-SHA-256 over (keyring, version, instance, epoch), keyed by what a [Sentinel] holds. It
/// may be published.
public final class Proof {
  private static final int BYTES = 32;

  private final byte[] mac;

  private Proof(byte[] mac) {
    this.mac = mac;
  }

  static Proof of(
      SecretBytes secret, KeyringName keyring, KekVersion version, Sentinel.Claim claim) {
    byte[] key = secret.reveal(SecretAccess.granted());
    try {
      Mac hmac = Mac.getInstance("HmacSHA256", Box.PROVIDER);
      hmac.init(new SecretKeySpec(key, "HmacSHA256"));
      return new Proof(
          hmac.doFinal(
              new ItemList()
                  .utf8("keyfleet-proof-1")
                  .utf8(keyring.value())
                  .int32(version.number())
                  .utf8(claim.instance())
                  .int64(claim.epoch())
                  .encoded()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("HMAC-SHA-256 failed", e);
    } finally {
      Arrays.fill(key, (byte) 0);
    }
  }

  /// Reads what [#toString] wrote; nothing if `hex` is anything else.
  public static Optional<Proof> parse(String hex) {
    try {
      return hex.length() == 2 * BYTES
          ? Optional.of(new Proof(HexFormat.of().parseHex(hex)))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Proof that && MessageDigest.isEqual(mac, that.mac);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(mac);
  }

  @Override
  public String toString() {
    return HexFormat.of().formatHex(mac);
  }
}
