package keyfleet.it.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// A session at a terminal, written down: what was typed, and what came back.
///
/// `$ ` stands before a command, `! ` before a line on standard error, `? ` before an exit code
/// other than 0, `#` before a remark. `…` stands for anything within a line. `export` holds for the
/// commands below it.
record Transcript(String name, List<Step> steps) {
  /// One command and what it must come to.
  record Step(String command, String setting, List<String> out, List<String> err, int exit) {}

  static Transcript read(Path file) {
    return new Transcript(file.getFileName().toString(), steps(lines(file)));
  }

  /// The `console` blocks of a Markdown file. There both streams stand together, as on a terminal,
  /// which shows no exit codes.
  static Transcript ofMarkdown(Path file) {
    List<String> typed = new ArrayList<>();
    boolean inside = false;
    for (String line : lines(file)) {
      if (line.startsWith("```")) {
        inside = line.equals("```console");
      } else if (inside) {
        typed.add(
            line.startsWith("$ ") && !line.startsWith("$ export ") ? line + " 2>&1 || true" : line);
      }
    }
    return new Transcript(file.getFileName().toString(), steps(typed));
  }

  boolean needs(String word) {
    return steps.stream().anyMatch(step -> step.command().contains(word));
  }

  private static List<Step> steps(List<String> lines) {
    List<Step> steps = new ArrayList<>();
    StringBuilder setting = new StringBuilder();
    for (String line : lines) {
      if (line.startsWith("$ export ")) {
        setting.append(line.substring(2)).append('\n');
      } else if (line.startsWith("$ ")) {
        steps.add(
            new Step(
                line.substring(2), setting.toString(), new ArrayList<>(), new ArrayList<>(), 0));
      } else if (line.startsWith("? ")) {
        Step last = steps.removeLast();
        int exit = Integer.parseInt(line.substring(2));
        steps.add(new Step(last.command(), last.setting(), last.out(), last.err(), exit));
      } else if (line.startsWith("! ")) {
        steps.getLast().err().add(line.substring(2));
      } else if (!line.isBlank() && !line.startsWith("#")) {
        steps.getLast().out().add(line);
      }
    }
    return steps;
  }

  /// Whether a line is what the transcript expects, `…` standing for anything.
  static boolean matches(List<String> expected, List<String> actual) {
    if (expected.size() != actual.size()) {
      return false;
    }
    for (int i = 0; i < expected.size(); i++) {
      String rule = Pattern.quote(expected.get(i)).replace("…", "\\E.*\\Q");
      if (!actual.get(i).matches(rule)) {
        return false;
      }
    }
    return true;
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
