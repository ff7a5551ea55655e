package keyfleet.member.document;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;

/// Escapes names that people choose, so that they fit into a key of the store.
public final class KeyEscaper {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private KeyEscaper() {}

  /// Letters, digits and hyphens stay. Any other byte becomes `_` and two hex digits. Different
  /// names never become the same text.
  public static String escape(String name) {
    StringBuilder escaped = new StringBuilder(name.length() + 8);
    for (byte b : name.getBytes(UTF_8)) {
      if (b == '-' || (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z')) {
        escaped.append((char) b);
      } else {
        escaped.append('_').append(HEX.toHexDigits(b));
      }
    }
    return escaped.toString();
  }
}
