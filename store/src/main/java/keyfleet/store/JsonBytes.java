package keyfleet.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import java.util.HexFormat;

/// JSON as it is written, byte by byte. Strings have as few escapes as there can be: quotes,
/// backslashes and control characters.
final class JsonBytes {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private byte[] bytes = new byte[512];
  private int length;

  byte[] written() {
    return Arrays.copyOf(bytes, length);
  }

  /// ASCII that needs no escape.
  void plain(String text) {
    makeRoomFor(text.length());
    for (int i = 0; i < text.length(); i++) {
      bytes[length++] = (byte) text.charAt(i);
    }
  }

  void quoted(String text) {
    makeRoomFor(2 + text.length());
    bytes[length++] = '"';
    int i = 0;
    while (i < text.length()) {
      int letter = text.codePointAt(i);
      i += Character.charCount(letter);
      if (letter >= ' ' && letter < 0x80 && letter != '"' && letter != '\\') {
        bytes[length++] = (byte) letter;
      } else {
        append(letter < 0x80 ? escaped(letter) : encoded(letter));
        makeRoomFor(1 + text.length() - i);
      }
    }
    bytes[length++] = '"';
  }

  private static byte[] encoded(int letter) {
    if (letter >= Character.MIN_SURROGATE && letter <= Character.MAX_SURROGATE) {
      throw new IllegalArgumentException("half a surrogate pair cannot be written as JSON");
    }
    return Character.toString(letter).getBytes(UTF_8);
  }

  private static byte[] escaped(int letter) {
    String escape =
        switch (letter) {
          case '"' -> "\\\"";
          case '\\' -> "\\\\";
          case '\b' -> "\\b";
          case '\t' -> "\\t";
          case '\n' -> "\\n";
          case '\f' -> "\\f";
          case '\r' -> "\\r";
          default -> "\\u" + HEX.toHexDigits((char) letter);
        };
    return escape.getBytes(UTF_8);
  }

  private void append(byte[] more) {
    makeRoomFor(more.length);
    System.arraycopy(more, 0, bytes, length, more.length);
    length += more.length;
  }

  private void makeRoomFor(int more) {
    if (length + more > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
    }
  }
}
