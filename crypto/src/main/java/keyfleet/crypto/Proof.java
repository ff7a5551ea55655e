package keyfleet.crypto;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// An HMAC-SHA-256 over (keyring, version, instance, epoch), keyed by what a [Sentinel] holds. It
/// may be published.
public final class Proof {
  private static final int DIGITS = 2 * Long.BYTES;

  /// The 32 bytes as numbers: a gate holds proofs of every process, and an array would be one more
  /// object for each.
  private final long first;

  private final long second;
  private final long third;
  private final long fourth;

  private Proof(long first, long second, long third, long fourth) {
    this.first = first;
    this.second = second;
    this.third = third;
    this.fourth = fourth;
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
        return of(
            hmac.doFinal(new ItemList().utf8(claim.instance()).int64(claim.epoch()).encoded()));
      } catch (CloneNotSupportedException e) {
        throw new IllegalStateException("this JVM's HMAC-SHA-256 cannot be copied", e);
      }
    }
  }

  private static Proof of(byte[] mac) {
    ByteBuffer bytes = ByteBuffer.wrap(mac);
    return new Proof(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
  }

  /// Reads what [#toString] wrote; nothing if `hex` is anything else.
  public static Optional<Proof> parse(String hex) {
    try {
      return hex.length() == 4 * DIGITS
          ? Optional.of(new Proof(number(hex, 0), number(hex, 1), number(hex, 2), number(hex, 3)))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static long number(String hex, int index) {
    return HexFormat.fromHexDigitsToLong(hex, index * DIGITS, (index + 1) * DIGITS);
  }

  /// In a time that does not depend on where they differ.
  @Override
  public boolean equals(Object other) {
    return other instanceof Proof that
        && ((first ^ that.first)
                | (second ^ that.second)
                | (third ^ that.third)
                | (fourth ^ that.fourth))
            == 0;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(first);
  }

  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(first)
        + hex.toHexDigits(second)
        + hex.toHexDigits(third)
        + hex.toHexDigits(fourth);
  }
}
