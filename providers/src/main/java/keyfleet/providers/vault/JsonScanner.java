package keyfleet.providers.vault;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// Scans JSON once and reports the position of each scalar. It is strict about the structure and
/// limits the depth and the number of scalars; it does not check what is inside a scalar.
final class JsonScanner {
  interface ScalarVisitor {
    /// `path` joins names and numbers with dots. The quotes of a text are included.
    void onScalar(String path, int from, int to);
  }

  /// The bytes are not JSON, or exceed the limits.
  static final class InvalidJsonException extends Exception {
    private static final long serialVersionUID = 1L;

    InvalidJsonException(int at) {
      super("invalid or too large JSON at byte " + at);
    }
  }

  static final int MAX_DEPTH = 16;
  static final int MAX_SCALARS = 20_000;

  private final byte[] body;
  private final ScalarVisitor visitor;
  private int at;
  private int count;

  JsonScanner(byte[] body, ScalarVisitor visitor) {
    this.body = body;
    this.visitor = visitor;
  }

  void scan() throws InvalidJsonException {
    scanValue("", 0);
    if (peek() != 0) {
      throw new InvalidJsonException(at);
    }
  }

  private void scanValue(String path, int depth) throws InvalidJsonException {
    if (depth > MAX_DEPTH) {
      throw new InvalidJsonException(at);
    }
    switch (peek()) {
      case '{' -> scanObject(path, depth);
      case '[' -> scanArray(path, depth);
      case '"' -> {
        int from = at;
        skipText();
        report(path, from);
      }
      default -> scanLiteral(path);
    }
  }

  private void scanObject(String path, int depth) throws InvalidJsonException {
    at++;
    if (tryConsume('}')) {
      return;
    }
    do {
      expect('"');
      int from = at--;
      skipText();
      String name = new String(body, from, at - 1 - from, StandardCharsets.UTF_8);
      expect(':');
      scanValue(childPath(path, name), depth + 1);
    } while (tryConsume(','));
    expect('}');
  }

  private void scanArray(String path, int depth) throws InvalidJsonException {
    at++;
    if (tryConsume(']')) {
      return;
    }
    int index = 0;
    do {
      scanValue(childPath(path, String.format(Locale.ROOT, "%d", index++)), depth + 1);
    } while (tryConsume(','));
    expect(']');
  }

  /// A number, true, false or null.
  private void scanLiteral(String path) throws InvalidJsonException {
    int from = at;
    while (at < body.length && isLiteralByte(body[at])) {
      at++;
    }
    if (from == at) {
      throw new InvalidJsonException(at);
    }
    report(path, from);
  }

  private static boolean isLiteralByte(byte b) {
    return (b >= 'a' && b <= 'z')
        || (b >= '0' && b <= '9')
        || b == '-'
        || b == '+'
        || b == '.'
        || b == 'E';
  }

  /// Moves from the opening quote to the position after the closing one.
  private void skipText() throws InvalidJsonException {
    for (at++; at < body.length; at++) {
      if (body[at] == '\\') {
        at++;
      } else if (body[at] == '"') {
        at++;
        return;
      }
    }
    throw new InvalidJsonException(at);
  }

  private void report(String path, int from) throws InvalidJsonException {
    if (++count > MAX_SCALARS) {
      throw new InvalidJsonException(from);
    }
    visitor.onScalar(path, from, at);
  }

  private static String childPath(String path, String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private boolean tryConsume(char wanted) {
    if (peek() != wanted) {
      return false;
    }
    at++;
    return true;
  }

  private void expect(char wanted) throws InvalidJsonException {
    if (!tryConsume(wanted)) {
      throw new InvalidJsonException(at);
    }
  }

  /// The next byte that is not a space; 0 at the end.
  private int peek() {
    while (at < body.length
        && (body[at] == ' ' || body[at] == '\n' || body[at] == '\r' || body[at] == '\t')) {
      at++;
    }
    return at < body.length ? body[at] : 0;
  }
}
