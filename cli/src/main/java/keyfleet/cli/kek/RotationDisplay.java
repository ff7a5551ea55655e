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
  private static final Duration CALM = Duration.ofSeconds(10);

  private static final String ERASE_REST = "\u001b[K";

  private final PrintStream out;
  private final DisplayMode manner;
  private final ProgressFormatter meter = new ProgressFormatter();
  private @Nullable RotationStatus last;
  private long shownAt;

  RotationDisplay(Console console, DisplayMode manner) {
    this.out = console.out();
    this.manner = manner;
  }

  void show(RotationStatus view, long nanos) {
    RotationStatus before = last;
    if (view.equals(before)) {
      return;
    }
    boolean turned = before == null || !landmark(view).equals(landmark(before));
    boolean due = turned || Duration.ofNanos(nanos - shownAt).compareTo(CALM) >= 0;
    String line = meter.line(view, nanos);
    switch (manner) {
      case BAR -> bar(line, before != null && turned);
      case LINES -> {
        if (due) {
          out.println(line);
        }
      }
      case OBJECTS -> view.print(OutputFormat.JSON, out);
      case NOTHING -> {}
    }
    if (due || manner != DisplayMode.LINES) {
      last = view;
      shownAt = nanos;
    }
  }

  private void bar(String line, boolean onANewLine) {
    out.print((onANewLine ? "\n" : "\r") + line + ERASE_REST);
    out.flush();
  }

  /// What has to change for a line of a log.
  private static String landmark(RotationStatus view) {
    return String.join(
        " ",
        view.state(),
        view.phase(),
        view.note(),
        String.format(Locale.ROOT, "%d", view.failed()));
  }

  /// The cursor goes to the next line.
  void end() {
    if (manner == DisplayMode.BAR) {
      out.println();
    }
  }
}
