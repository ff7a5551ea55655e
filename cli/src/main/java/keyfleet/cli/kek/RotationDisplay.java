package keyfleet.cli.kek;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import keyfleet.cli.output.Console;
import keyfleet.cli.output.OutputFormat;
import org.jspecify.annotations.Nullable;

/// Shows the progress of a rotation while a command watches it.
final class RotationDisplay {
  enum DisplayMode {
    /// One line that is overwritten, for a terminal.
    BAR,
    /// A new line after each change, for a log.
    LINES,
    /// A JSON object after each change.
    OBJECTS,
    NOTHING;

    static DisplayMode of(Console console, OutputFormat format) {
      return format == OutputFormat.JSON ? OBJECTS : console.isTerminal() ? BAR : LINES;
    }
  }

  /// The least time between two log lines that differ only in their counts.
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

  private void printBar(String line, boolean startNewLine) {
    out.print((startNewLine ? "\n" : "\r") + line + ERASE_REST);
    out.flush();
  }

  /// The part of a status whose change is printed at once, also in a log.
  private static String changeKey(RotationStatus status) {
    return String.join(
        " ",
        status.state(),
        status.phase(),
        status.note(),
        String.format(Locale.ROOT, "%d", status.failed()));
  }

  /// Moves the cursor to the next line.
  void finish() {
    if (displayMode == DisplayMode.BAR) {
      out.println();
    }
  }
}
