package keyfleet.member.document;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;

/// Parses a date in a document, in the form that [Instant#toString] writes.
///
/// A roster has one date for each process of a fleet, an audit chain one for each entry, and the
/// JDK's parser takes longer than everything else about them. So this class parses the usual form
/// itself and leaves other forms to the JDK.
public final class InstantParser {
  /// The usual form up to the seconds. A `0` stands for any digit.
  private static final String FORM = "0000-00-00T00:00:00";

  private static final int NANO_DIGITS = 9;

  /// The length of a day in seconds.
  private static final long DAY = 86_400;

  private InstantParser() {}

  public static Instant parse(String text) {
    try {
      return isUsualForm(text) ? parseUsualForm(text) : Instant.parse(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("not a date: " + text, e);
    }
  }

  /// Up to the seconds, then at most nine digits after a dot, then `Z`.
  private static boolean isUsualForm(String text) {
    int last = text.length() - 1;
    int digits = last - FORM.length() - 1;
    boolean ends = last >= FORM.length() && text.charAt(last) == 'Z' && digits <= NANO_DIGITS;
    if (!ends || (digits >= 0 && text.charAt(FORM.length()) != '.') || digits == 0) {
      return false;
    }
    for (int i = 0; i < last; i++) {
      char wanted = i < FORM.length() ? FORM.charAt(i) : i == FORM.length() ? '.' : '0';
      if (wanted == '0' ? !isDigit(text.charAt(i)) : text.charAt(i) != wanted) {
        return false;
      }
    }
    // The JDK gives a meaning to the hour 24 and to leap seconds.
    return number(text, 11, 13) < 24 && number(text, 14, 16) < 60 && number(text, 17, 19) < 60;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static Instant parseUsualForm(String text) {
    LocalDate day = LocalDate.of(number(text, 0, 4), number(text, 5, 7), number(text, 8, 10));
    int minutes = 60 * number(text, 11, 13) + number(text, 14, 16);
    int seconds = 60 * minutes + number(text, 17, 19);
    return Instant.ofEpochSecond(day.toEpochDay() * DAY + seconds, nanos(text));
  }

  private static int nanos(String text) {
    int from = FORM.length() + 1;
    int to = text.length() - 1;
    if (from >= to) {
      return 0;
    }
    int nanos = number(text, from, to);
    for (int i = to - from; i < NANO_DIGITS; i++) {
      nanos *= 10;
    }
    return nanos;
  }

  /// Parses text that contains only digits.
  private static int number(String text, int from, int to) {
    int number = 0;
    for (int i = from; i < to; i++) {
      number = 10 * number + text.charAt(i) - '0';
    }
    return number;
  }
}
