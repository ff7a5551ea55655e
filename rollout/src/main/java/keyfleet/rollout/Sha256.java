package keyfleet.rollout;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/// A SHA-256 digest in lower-case hexadecimal.
public record Sha256(String hex) implements Comparable<Sha256> {
  private static final Pattern RULE = Pattern.compile("[0-9a-f]{64}");

  public Sha256 {
    if (!RULE.matcher(hex).matches()) {
      throw new IllegalArgumentException("not a SHA-256 digest in lower-case hex: " + hex);
    }
  }

  public static Sha256 of(byte[] bytes) {
    try {
      return new Sha256(
          HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  byte[] bytes() {
    return HexFormat.of().parseHex(hex);
  }

  @Override
  public int compareTo(Sha256 other) {
    return hex.compareTo(other.hex);
  }

  @Override
  public String toString() {
    return hex;
  }
}
