package keyfleet.cli.kek;

import java.time.Duration;

/// Formats a duration as on a stopwatch.
final class StopwatchFormat {
  private StopwatchFormat() {}

  /// Minutes and seconds, with hours if there are any: `0:40`, `1:02:03`.
  static String toClock(Duration duration) {
    String seconds = twoDigits(duration.toSecondsPart());
    return duration.toHours() > 0
        ? duration.toHours() + ":" + twoDigits(duration.toMinutesPart()) + ":" + seconds
        : duration.toMinutesPart() + ":" + seconds;
  }

  private static String twoDigits(int number) {
    return number < 10 ? "0" + number : Integer.toString(number);
  }
}
