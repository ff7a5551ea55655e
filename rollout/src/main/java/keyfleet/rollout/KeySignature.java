package keyfleet.rollout;

import java.util.HexFormat;
import java.util.regex.Pattern;

/// An Ed25519 signature in lower-case hexadecimal, and the id of the key that supposedly made it.
public record KeySignature(KeyId key, String hex) {
  private static final Pattern RULE = Pattern.compile("[0-9a-f]{128}");

  public KeySignature {
    if (!RULE.matcher(hex).matches()) {
      throw new IllegalArgumentException("not an Ed25519 signature in lower-case hex: " + hex);
    }
  }

  public static KeySignature of(KeyId key, byte[] signature) {
    return new KeySignature(key, HexFormat.of().formatHex(signature));
  }

  byte[] bytes() {
    return HexFormat.of().parseHex(hex);
  }
}
