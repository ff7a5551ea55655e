package keyfleet.crypto;

import java.util.Optional;
import java.util.regex.Pattern;

/// The number of a KEK in its keyring: 1, 2, 3…
public record KekVersion(int number) implements Comparable<KekVersion> {
  private static final Pattern DIGITS = Pattern.compile("[1-9][0-9]{0,8}");

  public KekVersion {
    if (number < 1) {
      throw new IllegalArgumentException("a KEK version is a positive integer, not " + number);
    }
  }

  /// Parses a version as people write it: only digits, no sign, no leading zero.
  public static Optional<KekVersion> parse(String digits) {
    return DIGITS.matcher(digits).matches()
        ? Optional.of(new KekVersion(Integer.parseInt(digits)))
        : Optional.empty();
  }

  @Override
  public int compareTo(KekVersion other) {
    return Integer.compare(number, other.number);
  }

  @Override
  public String toString() {
    return "v" + number;
  }
}
