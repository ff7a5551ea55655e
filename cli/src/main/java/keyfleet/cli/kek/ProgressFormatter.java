package keyfleet.cli.kek;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Makes lines of what is seen of a rotation. The rate is measured by who looks, from when it first
/// saw the phase.
final class ProgressFormatter {
  private static final int BAR = 20;

  private @Nullable String phase;
  private long since;
  private long doneThen;

  /// `v1 -> v2 rewrapping [####....] 812400/1204331 67% 9870/s 0:40 left failed 3`
  String line(RotationStatus view, long nanos) {
    if (!view.phase().equals(phase)) {
      phase = view.phase();
      since = nanos;
      doneThen = view.done();
    }
    StringBuilder line = new StringBuilder(view.course()).append("  ").append(view.phase());
    if (view.state().equals("paused")) {
      line.append(" (paused)");
    }
    if (view.total() > 0) {
      line.append("  ").append(bar(view)).append(speed(view, nanos - since));
    }
    if (view.failed() > 0) {
      line.append("  failed ").append(view.failed());
    }
    if (!view.note().isEmpty() && view.isUnderWay()) {
      line.append("  ").append(view.note());
    }
    return line.toString();
  }

  private static String bar(RotationStatus view) {
    int filled = (int) (BAR * Math.min(view.done(), view.total()) / view.total());
    long percent = 100 * Math.min(view.done(), view.total()) / view.total();
    return "[%s%s]  %d/%d  %d%%"
        .formatted(
            "#".repeat(filled), ".".repeat(BAR - filled), view.done(), view.total(), percent);
  }

  private String speed(RotationStatus view, long nanos) {
    double seconds = nanos / 1e9;
    long moved = view.done() - doneThen;
    if (moved <= 0 || seconds <= 0) {
      return "";
    }
    double rate = moved / seconds;
    Duration left = Duration.ofMillis((long) (1000 * (view.total() - view.done()) / rate));
    return "  " + Math.round(rate) + "/s  " + StopwatchFormat.clock(left) + " left";
  }
}
