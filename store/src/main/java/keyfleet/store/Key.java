package keyfleet.store;

/// The name of an entry within its bucket: words joined by dots. Every engine accepts these
/// characters unescaped; NATS subjects are the narrowest.
public record Key(String value) implements Comparable<Key> {
  public static final int MAX_LENGTH = 255;

  private static final String PUNCTUATION = "_=/-";

  public Key {
    if (!isValid(value)) {
      throw new IllegalArgumentException("not a key: " + printable(value));
    }
  }

  /// Words of ASCII letters, digits and [#PUNCTUATION], with dots between them. Checked by hand,
  /// not by a regular expression, because a roster has a key for each process of the fleet.
  public static boolean isValid(String value) {
    int length = value.length();
    if (length > MAX_LENGTH) {
      return false;
    }
    boolean inWord = false;
    for (int i = 0; i < length; i++) {
      char c = value.charAt(i);
      if (c == '.' ? !inWord : !isWordCharacter(c)) {
        return false;
      }
      inWord = c != '.';
    }
    return inWord;
  }

  private static boolean isWordCharacter(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || PUNCTUATION.indexOf(c) >= 0;
  }

  /// Safe to log: an invalid key may be long or contain control characters.
  private static String printable(String value) {
    String start = value.substring(0, Math.min(value.length(), 40));
    return "'" + start.replaceAll("[^ -~]", "?") + "' of " + value.length() + " characters";
  }

  @Override
  public int compareTo(Key other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
