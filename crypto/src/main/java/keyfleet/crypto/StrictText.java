package keyfleet.crypto;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;

/// Text as bytes, where two texts must never become the same bytes.
public final class StrictText {
  private StrictText() {}

  /// Nothing for half a surrogate pair: Java writes it as a question mark.
  public static Optional<byte[]> utf8(String text) {
    return hasSurrogates(text) && !UTF_8.newEncoder().canEncode(text)
        ? Optional.empty()
        : Optional.of(text.getBytes(UTF_8));
  }

  /// Hardly any text has: most need no encoder.
  private static boolean hasSurrogates(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        return true;
      }
    }
    return false;
  }
}
