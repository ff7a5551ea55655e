package keyfleet.providers.vault;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import keyfleet.crypto.KekVersion;

/// A wrapped DEK as Transit writes it, `vault:v<N>:<Base64>`, in ASCII; 89 bytes for a DEK of 32.
final class TransitCiphertext {
  static final int MAX_BYTES = 256;

  private static final Pattern FORM =
      Pattern.compile("vault:v([1-9][0-9]{0,8}):[A-Za-z0-9+/]+={0,2}");

  private TransitCiphertext() {}

  /// The text; empty if the bytes are not one that `version` made.
  static Optional<String> parse(byte[] wrapped, KekVersion version) {
    if (wrapped.length > MAX_BYTES) {
      return Optional.empty();
    }
    String text = new String(wrapped, StandardCharsets.ISO_8859_1);
    Matcher matcher = FORM.matcher(text);
    return matcher.matches()
            && KekVersion.parse(matcher.group(1)).filter(version::equals).isPresent()
        ? Optional.of(text)
        : Optional.empty();
  }
}
