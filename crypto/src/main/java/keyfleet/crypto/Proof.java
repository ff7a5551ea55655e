package keyfleet.crypto;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/// An HMAC-SHA-256 over (keyring, version, instance, epoch). Its key is the secret of a [Sentinel].
/// It may be published.
public final class Proof {
  private static final int DIGITS_PER_LONG = 2 * Long.BYTES;

  /// The value of each character as a hex digit; -1 for all others.
  private static final byte[] HEX_VALUES = hexValues();

  private static byte[] hexValues() {
    byte[] values = new byte['f' + 1];
    for (char c = 0; c < values.length; c++) {
      values[c] = (byte) (HexFormat.isHexDigit(c) ? HexFormat.fromHexDigit(c) : -1);
    }
    return values;
  }

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

  /// Makes proofs with one secret. The key is set up once and copied for each proof: a gate checks
  /// a whole fleet on several threads.
  static final class Generator {
    private final Mac keyedMac;
    private final byte[] prefix;

    Generator(SecretBytes secret, KeyringName keyring, KekVersion version) {
      byte[] key = secret.reveal(SecretAccess.granted());
      try {
        keyedMac = Mac.getInstance("HmacSHA256");
        keyedMac.init(new SecretKeySpec(key, "HmacSHA256"));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("HMAC-SHA-256 failed", e);
      } finally {
        Arrays.fill(key, (byte) 0);
      }
      prefix =
          new LengthPrefixedWriter()
              .putUtf8("keyfleet-proof-1")
              .putUtf8(keyring.value())
              .putInt(version.number())
              .toBytes();
    }

    Proof generate(Sentinel.Claim claim) {
      try {
        Mac hmac = (Mac) keyedMac.clone();
        hmac.update(prefix);
        return fromMac(
            hmac.doFinal(
                new LengthPrefixedWriter()
                    .putUtf8(claim.instance())
                    .putLong(claim.epoch())
                    .toBytes()));
      } catch (CloneNotSupportedException e) {
        throw new IllegalStateException("this JVM's HMAC-SHA-256 cannot be copied", e);
      }
    }
  }

  private static Proof fromMac(byte[] mac) {
    ByteBuffer bytes = ByteBuffer.wrap(mac);
    return new Proof(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
  }

  /// The number of characters that [#toString] writes.
  private static final int LENGTH = 4 * DIGITS_PER_LONG;

  /// Parses what [#toString] wrote. Empty if `hex` is anything else.
  public static Optional<Proof> parse(String hex) {
    if (hex.length() != LENGTH) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new Proof(
              parseDigits(hex, 0),
              parseDigits(hex, DIGITS_PER_LONG),
              parseDigits(hex, 2 * DIGITS_PER_LONG),
              parseDigits(hex, 3 * DIGITS_PER_LONG)));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static long parseDigits(String text, int from) {
    long number = 0;
    int all = 0;
    for (int i = from; i < from + DIGITS_PER_LONG; i++) {
      char c = text.charAt(i);
      int value = c < HEX_VALUES.length ? HEX_VALUES[c] : -1;
      number = number << 4 | value;
      all |= value;
    }
    if (all < 0) {
      throw new NumberFormatException("not hex");
    }
    return number;
  }

  /// Takes the same time wherever the two differ.
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
