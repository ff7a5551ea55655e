package keyfleet.store;

import java.util.regex.Pattern;

/// The name of an entry within its bucket: words, joined by dots. The alphabet is what every engine
/// takes as it is, NATS subjects being the narrowest.
public record Key(String value) implements Comparable<Key> {
  public static final int MAX_LENGTH = 255;

  private static final Pattern RULE = Pattern.compile("[A-Za-z0-9_=/-]+(\\.[A-Za-z0-9_=/-]+)*");

  public Key {
    if (!isValid(value)) {
      throw new IllegalArgumentException("not a key: " + shown(value));
    }
  }

  public static boolean isValid(String value) {
    return value.length() <= MAX_LENGTH && RULE.matcher(value).matches();
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
