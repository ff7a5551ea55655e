package keyfleet.store.host;

/// Makes text that another process may have written safe to print.
public final class PrintableText {
  private PrintableText() {}

  /// One line without control characters: a line break could imitate a line of Keyfleet's output,
  /// and an escape sequence could control the terminal.
  public static String of(String text) {
    StringBuilder printable = new StringBuilder(text.length());
    text.codePoints()
        .map(c -> Character.isISOControl(c) || Character.getType(c) == Character.FORMAT ? '?' : c)
        .forEach(printable::appendCodePoint);
    return printable.toString();
  }
}
