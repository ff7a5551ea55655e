package keyfleet.cli;

import java.time.Duration;
import keyfleet.member.DurationText;

/// Lengths of time in options, and on screens.
final class Span {
  private Span() {}

  /// `option` is where the text was given.
  static Duration parse(String option, String text) {
    return DurationText.parse(text)
        .orElseThrow(() ->
            new CommandException(
                option + "=" + Console.plain(text) + " is not a duration: " + DurationText.RULE,
                option + "=10m"));
  }

  /// Minutes and seconds, as on a stopwatch; hours before them if there are any.
  static String clock(Duration duration) {
    String seconds = two(duration.toSecondsPart());
    return duration.toHours() > 0
        ? duration.toHours() + ":" + two(duration.toMinutesPart()) + ":" + seconds
        : duration.toMinutesPart() + ":" + seconds;
  }

  private static String two(int number) {
    return number < 10 ? "0" + number : Integer.toString(number);
  }
}
