package keyfleet.rollout.release;

import java.util.HexFormat;
import java.util.regex.Pattern;

/// An Ed25519 signature in lower-case hexadecimal, and the id of the key that it names as its
/// signer. It is not verified yet.
public record ReleaseSignature(ReleaseKeyId key, String hex) {
  private static final Pattern RULE = Pattern.compile("[0-9a-f]{128}");

  public ReleaseSignature {
    if (!RULE.matcher(hex).matches()) {
      throw new IllegalArgumentException("not an Ed25519 signature in lower-case hex: " + hex);
    }
  }

  public static ReleaseSignature of(ReleaseKeyId key, byte[] signature) {
    return new ReleaseSignature(key, HexFormat.of().formatHex(signature));
  }

  byte[] bytes() {
    return HexFormat.of().parseHex(hex);
  }
}
