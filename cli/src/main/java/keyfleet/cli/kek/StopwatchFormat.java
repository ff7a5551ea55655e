package keyfleet.cli.kek;

import java.time.Duration;

/// Lengths of time on screens.
final class StopwatchFormat {
  private StopwatchFormat() {}

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
