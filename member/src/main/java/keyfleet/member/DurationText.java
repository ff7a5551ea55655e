package keyfleet.member;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Parses and formats durations as people write them in settings and flags: a whole number and one
/// unit.
public final class DurationText {
  /// The accepted syntax, for messages.
  public static final String SYNTAX =
      "a whole number and a unit, ms, s, m, h or d, such as 500ms or 30s; at most 36500d";

  private static final Pattern FORM = Pattern.compile("([0-9]{1,13})(ms|s|m|h|d)");

  /// A century. Beyond about three centuries, nanoseconds do not fit into a long.
  private static final Duration LONGEST = Duration.ofDays(36_500);

  /// Longest first.
  private static final Map<String, Duration> UNITS = new LinkedHashMap<>();

  static {
    UNITS.put("d", Duration.ofDays(1));
    UNITS.put("h", Duration.ofHours(1));
    UNITS.put("m", Duration.ofMinutes(1));
    UNITS.put("s", Duration.ofSeconds(1));
    UNITS.put("ms", Duration.ofMillis(1));
  }

  private DurationText() {}

  /// Returns nothing if `text` does not match [#SYNTAX].
  public static Optional<Duration> parse(String text) {
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    Duration unit = UNITS.getOrDefault(parts.group(2), Duration.ZERO);
    Duration duration = unit.multipliedBy(Long.parseLong(parts.group(1)));
    return duration.compareTo(LONGEST) <= 0 ? Optional.of(duration) : Optional.empty();
  }

  /// Formats in the largest unit that divides the duration evenly. Fractions of a millisecond are
  /// dropped.
  public static String format(Duration duration) {
    for (var unit : UNITS.entrySet()) {
      long millis = unit.getValue().toMillis();
      if (!duration.isZero() && duration.toMillis() % millis == 0) {
        return duration.toMillis() / millis + unit.getKey();
      }
    }
    return "0s";
  }
}
