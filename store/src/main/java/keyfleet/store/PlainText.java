package keyfleet.store;

/// Words that another process may have written, fit to be printed.
public final class PlainText {
  private PlainText() {}

  /// One line without control characters: a line break would be a line of our own, an escape
  /// sequence an order to the terminal.
  public static String of(String words) {
    StringBuilder plain = new StringBuilder(words.length());
    words
        .codePoints()
        .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? '?' : c)
        .forEach(plain::appendCodePoint);
    return plain.toString();
  }
}
