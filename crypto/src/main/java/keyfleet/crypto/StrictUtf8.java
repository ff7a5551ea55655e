package keyfleet.crypto;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Optional;

/// UTF-8 for places where two different texts must never become the same bytes.
public final class StrictUtf8 {
  private StrictUtf8() {}

  /// Empty for half a surrogate pair, which Java would write as a question mark.
  public static Optional<byte[]> encode(String text) {
    return hasSurrogates(text) && !UTF_8.newEncoder().canEncode(text)
        ? Optional.empty()
        : Optional.of(text.getBytes(UTF_8));
  }

  /// The number of bytes that [#encode] returns, without encoding; -1 if it returns none.
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

  private static boolean hasSurrogates(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        return true;
      }
    }
    return false;
  }
}
