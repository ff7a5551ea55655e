package keyfleet.crypto;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;

/// Text as bytes, where two texts must never become the same bytes.
public final class StrictUtf8 {
  private StrictUtf8() {}

  /// Nothing for half a surrogate pair: Java writes it as a question mark.
  public static Optional<byte[]> encode(String text) {
    return hasSurrogates(text) && !UTF_8.newEncoder().canEncode(text)
        ? Optional.empty()
        : Optional.of(text.getBytes(UTF_8));
  }

  /// How many bytes [#encode] makes of it, without making them; -1 if it makes none.
  public static int encodedLength(String text) {
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        return encode(text).map(it -> it.length).orElse(-1);
      }
      length += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
    }
    return length;
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
