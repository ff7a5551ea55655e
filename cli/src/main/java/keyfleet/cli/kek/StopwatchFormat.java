package keyfleet.cli.kek;

import java.time.Duration;

/// Lengths of time on screens.
final class StopwatchFormat {
  private StopwatchFormat() {}

  /// Minutes and seconds, as on a stopwatch; hours before them if there are any.
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
