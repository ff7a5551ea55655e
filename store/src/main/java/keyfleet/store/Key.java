package keyfleet.store;

/// The name of an entry within its bucket: words, joined by dots. The alphabet is what every engine
/// takes as it is, NATS subjects being the narrowest.
public record Key(String value) implements Comparable<Key> {
  public static final int MAX_LENGTH = 255;

  public Key {
    if (!isValid(value)) {
      throw new IllegalArgumentException("not a key: " + shown(value));
    }
  }

  /// No word is empty.
  public static boolean isValid(String value) {
    boolean within = false;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '.' ? !within : !isOfWord(c)) {
        return false;
      }
      within = c != '.';
    }
    return within && value.length() <= MAX_LENGTH;
  }

  private static boolean isOfWord(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '='
        || c == '/'
        || c == '-';
  }

  /// Safe to log: a refused key may be long, or hold control characters.
  private static String shown(String value) {
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
