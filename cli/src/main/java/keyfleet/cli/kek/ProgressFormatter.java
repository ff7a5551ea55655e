package keyfleet.cli.kek;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Formats the progress of a rotation as one line. It computes the rate from the records done since
/// it first saw the phase.
final class ProgressFormatter {
  private static final int BAR_WIDTH = 20;

  private @Nullable String phase;
  private long phaseStartNanos;
  private long doneAtPhaseStart;

  /// `v1 -> v2 rewrapping [####....] 812400/1204331 67% 9870/s 0:40 left failed 3`
  String format(RotationStatus status, long nanos) {
    if (!status.phase().equals(phase)) {
      phase = status.phase();
      phaseStartNanos = nanos;
      doneAtPhaseStart = status.done();
    }
    StringBuilder line =
        new StringBuilder(status.versionChange()).append("  ").append(status.phase());
    if (status.state().equals("paused")) {
      line.append(" (paused)");
    }
    if (status.total() > 0) {
      line.append("  ")
          .append(bar(status))
          .append(rateAndTimeLeft(status, nanos - phaseStartNanos));
    }
    if (status.failed() > 0) {
      line.append("  failed ").append(status.failed());
    }
    if (!status.note().isEmpty() && status.isUnderWay()) {
      line.append("  ").append(status.note());
    }
    return line.toString();
  }

  private static String bar(RotationStatus status) {
    int filled = (int) (BAR_WIDTH * Math.min(status.done(), status.total()) / status.total());
    long percent = 100 * Math.min(status.done(), status.total()) / status.total();
    return "[%s%s]  %d/%d  %d%%"
        .formatted(
            "#".repeat(filled),
            ".".repeat(BAR_WIDTH - filled),
            status.done(),
            status.total(),
            percent);
  }

  private String rateAndTimeLeft(RotationStatus status, long nanos) {
    double seconds = nanos / 1e9;
    long moved = status.done() - doneAtPhaseStart;
    if (moved <= 0 || seconds <= 0) {
      return "";
    }
    double rate = moved / seconds;
    Duration left = Duration.ofMillis((long) (1000 * (status.total() - status.done()) / rate));
    return "  " + Math.round(rate) + "/s  " + toClock(left) + " left";
  }

  /// Minutes and seconds, with hours if there are any: `0:40`, `1:02:03`.
  private static String toClock(Duration duration) {
    String seconds = twoDigits(duration.toSecondsPart());
    return duration.toHours() > 0
        ? duration.toHours() + ":" + twoDigits(duration.toMinutesPart()) + ":" + seconds
        : duration.toMinutesPart() + ":" + seconds;
  }

  private static String twoDigits(int number) {
    return number < 10 ? "0" + number : Integer.toString(number);
  }
}
