package keyfleet.cli.kek;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.OutputFormat;
import org.jspecify.annotations.Nullable;

/// Shows a rotation while somebody looks on.
final class RotationDisplay {
  /// How it is shown.
  enum DisplayMode {
    /// One line that moves, for a terminal.
    BAR,
    /// A line whenever something has changed, for a log.
    LINES,
    /// An object whenever something has changed.
    OBJECTS,
    NOTHING;

    static DisplayMode of(Console console, OutputFormat format) {
      return format == OutputFormat.JSON ? OBJECTS : console.isTerminal() ? BAR : LINES;
    }
  }

  /// Between two lines of a log that differ in their counts alone.
  private static final Duration LOG_INTERVAL = Duration.ofSeconds(10);

  private static final String ERASE_REST = "\u001b[K";

  private final PrintStream out;
  private final DisplayMode displayMode;
  private final ProgressFormatter formatter = new ProgressFormatter();
  private @Nullable RotationStatus last;
  private long shownAt;

  RotationDisplay(Console console, DisplayMode displayMode) {
    this.out = console.out();
    this.displayMode = displayMode;
  }

  void show(RotationStatus status, long nanos) {
    RotationStatus previous = last;
    if (status.equals(previous)) {
      return;
    }
    boolean hasChanged = previous == null || !changeKey(status).equals(changeKey(previous));
    boolean isDue = hasChanged || Duration.ofNanos(nanos - shownAt).compareTo(LOG_INTERVAL) >= 0;
    String line = formatter.format(status, nanos);
    switch (displayMode) {
      case BAR -> printBar(line, previous != null && hasChanged);
      case LINES -> {
        if (isDue) {
          out.println(line);
        }
      }
      case OBJECTS -> status.print(OutputFormat.JSON, out);
      case NOTHING -> {}
    }
    if (isDue || displayMode != DisplayMode.LINES) {
      last = status;
      shownAt = nanos;
    }
  }

  private void printBar(String line, boolean onANewLine) {
    out.print((onANewLine ? "\n" : "\r") + line + ERASE_REST);
    out.flush();
  }

  /// What has to change for a line of a log.
  private static String changeKey(RotationStatus status) {
    return String.join(
        " ",
        status.state(),
        status.phase(),
        status.note(),
        String.format(Locale.ROOT, "%d", status.failed()));
  }

  /// The cursor goes to the next line.
  void finish() {
    if (displayMode == DisplayMode.BAR) {
      out.println();
    }
  }
}
