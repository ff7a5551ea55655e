package keyfleet.store;

import java.util.HexFormat;

/// A JSON string, with as few escapes as there can be: quotes, backslashes and control characters.
final class JsonText {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private JsonText() {}

  static void quote(String text, StringBuilder json) {
    json.append('"');
    int copied = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c == '"' || c == '\\') {
        json.append(text, copied, i);
        escape(c, json);
        copied = i + 1;
      }
    }
    json.append(text, copied, text.length()).append('"');
  }

  private static void escape(char c, StringBuilder json) {
    json.append('\\');
    switch (c) {
      case '"', '\\' -> json.append(c);
      case '\b' -> json.append('b');
      case '\t' -> json.append('t');
      case '\n' -> json.append('n');
      case '\f' -> json.append('f');
      case '\r' -> json.append('r');
      default -> json.append('u').append(HEX.toHexDigits(c));
    }
  }
}
