package keyfleet.it.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// A recorded terminal session: commands and their output.
///
/// `$ ` begins a command, `! ` a line on standard error, `? ` an exit code other than 0, `#` a
/// comment. `…` stands for any text within a line. `export` applies to the commands below it.
record Transcript(String name, List<Step> steps) {
  /// One command and its expected result.
  record Step(String command, String setting, List<String> out, List<String> err, int exit) {}

  static Transcript read(Path file) {
    return new Transcript(file.getFileName().toString(), steps(lines(file)));
  }

  /// The `console` blocks of a Markdown file. They show both streams together, as on a terminal,
  /// and no exit codes.
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

  boolean hasCommand(String word) {
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

  /// Whether the lines are those that the transcript expects; `…` matches any text.
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
