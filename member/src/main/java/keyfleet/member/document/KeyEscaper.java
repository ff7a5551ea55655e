package keyfleet.member.document;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;

/// Names that others choose, as words of a key.
public final class KeyEscaper {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private KeyEscaper() {}

  /// Letters, digits and hyphens stay; any other byte becomes `_` and two hex digits. No two names
  /// become one word.
  public static String escape(String name) {
    StringBuilder word = new StringBuilder(name.length() + 8);
    for (byte b : name.getBytes(UTF_8)) {
      if (b == '-' || (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z')) {
        word.append((char) b);
      } else {
        word.append('_').append(HEX.toHexDigits(b));
      }
    }
    return word.toString();
  }
}
