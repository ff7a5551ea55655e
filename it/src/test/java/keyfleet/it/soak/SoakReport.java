package keyfleet.it.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/// The report of a soak that passed.
record SoakReport(SoakOptions options, SoakRun.Outcome outcome, PluginChecker checker) {
  private static final double MEGABYTE = 1e6;

  /// The report in one line.
  String summary() {
    return String.format(
        Locale.ROOT,
        "soak: the plugin kept every promise for %d s at seed %d: %,d calls (%,d a second), refused"
            + " in faults: %s; %d kills, %d faults, %d rotations; %,d times a kept ciphertext was"
            + " opened; %s",
        seconds(),
        options.seed(),
        outcome.calls(),
        outcome.calls() / Math.max(1, seconds()),
        refusals(),
        outcome.kills(),
        outcome.faults(),
        outcome.rotations(),
        outcome.opened(),
        memory());
  }

  private long seconds() {
    return outcome.loadDuration().toSeconds();
  }

  private String refusals() {
    return checker.refusals().isEmpty()
        ? "none"
        : checker.refusals().entrySet().stream()
            .map(it -> String.format(Locale.ROOT, "%s %,d", it.getKey(), it.getValue()))
            .sorted()
            .collect(Collectors.joining(", "));
  }

  private String memory() {
    if (!outcome.memory().isLongEnough()) {
      return "memory not checked, because no process ran long enough";
    }
    MemoryTrend.Figures figures = outcome.memory().figures();
    return String.format(
        Locale.ROOT,
        "resident %.0f MB, then %.0f MB (%.2f) in the last %d s",
        figures.second() / MEGABYTE,
        figures.last() / MEGABYTE,
        figures.growth(),
        figures.lifetime().toSeconds());
  }

  /// Adds a row to the table of the Markdown file that stands between `<!-- plugin -->` and `<!--
  /// end -->`.
  void addTo(Path file) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    int mark = lines.indexOf("<!-- plugin -->");
    if (mark < 0) {
      throw new IllegalStateException(file + " has no table <!-- plugin -->");
    }
    int end = mark + lines.subList(mark, lines.size()).indexOf("<!-- end -->");
    lines.add(end, row());
    Files.writeString(file, String.join("\n", lines) + "\n");
  }

  private String row() {
    MemoryTrend.Figures figures = outcome.memory().figures();
    return String.format(
        Locale.ROOT,
        "| %s | %d | %,d s | %,d | %s | %d | %d | %d | %,d | %s |",
        options.commit(),
        options.seed(),
        seconds(),
        outcome.calls(),
        refusals(),
        outcome.kills(),
        outcome.faults(),
        outcome.rotations(),
        outcome.opened(),
        outcome.memory().isLongEnough()
            ? String.format(
                Locale.ROOT, "%.0f, %.0f", figures.second() / MEGABYTE, figures.last() / MEGABYTE)
            : "-");
  }
}
