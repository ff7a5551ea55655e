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

  /// Makes proofs by one secret. The key is set up once, and each proof is made by a copy: a gate
  /// judges a whole fleet by it, on several threads.
  static final class Maker {
    private final Mac keyed;
    private final byte[] start;

    Maker(SecretBytes secret, KeyringName keyring, KekVersion version) {
      byte[] key = secret.reveal(SecretAccess.granted());
      try {
        keyed = Mac.getInstance("HmacSHA256");
        keyed.init(new SecretKeySpec(key, "HmacSHA256"));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("HMAC-SHA-256 failed", e);
      } finally {
        Arrays.fill(key, (byte) 0);
      }
      start =
          new ItemList()
              .utf8("keyfleet-proof-1")
              .utf8(keyring.value())
              .int32(version.number())
              .encoded();
    }

    Proof proof(Sentinel.Claim claim) {
      try {
        Mac hmac = (Mac) keyed.clone();
        hmac.update(start);
        return new Proof(
            hmac.doFinal(new ItemList().utf8(claim.instance()).int64(claim.epoch()).encoded()));
      } catch (CloneNotSupportedException e) {
        throw new IllegalStateException("this JVM's HMAC-SHA-256 cannot be copied", e);
      }
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
