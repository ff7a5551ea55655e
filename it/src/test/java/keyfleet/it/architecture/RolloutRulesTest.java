package keyfleet.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Compares the page of rollout rules with the sources: each rule is named in the class that
/// enforces it and in the test that checks it.
class RolloutRulesTest {
  private static final Pattern ROW =
      Pattern.compile("\\| ([RI]\\d+) \\| .+ \\| `(\\w+)` \\| `(\\w+)` \\|");

  private record Row(String rule, String enforcedBy, String testedBy) {}

  private static List<Row> rows() throws IOException {
    Path page = Repository.root().resolve("docs/internals/rollout-rules.md");
    return Files.readAllLines(page).stream()
        .map(ROW::matcher)
        .filter(row -> row.matches())
        .map(row -> new Row(row.group(1), row.group(2), row.group(3)))
        .toList();
  }

  @Test
  void everyRule_hasARow() throws IOException {
    List<String> rules = new ArrayList<>();
    IntStream.rangeClosed(1, 24).forEach(n -> rules.add("R" + n));
    IntStream.rangeClosed(1, 12).forEach(n -> rules.add("I" + n));
    assertEquals(rules, rows().stream().map(Row::rule).toList());
  }

  @Test
  void everyRule_isNamedInItsClassAndInItsTest() throws IOException {
    for (Row row : rows()) {
      assertNames(row.rule(), "src/main/java", row.enforcedBy());
      assertNames(row.rule(), "src/test/java", row.testedBy());
    }
  }

  private static void assertNames(String rule, String tree, String type) throws IOException {
    Pattern word = Pattern.compile("\\b" + rule + "\\b");
    Path file = source(tree, type);
    try (Stream<String> lines = Files.lines(file)) {
      assertTrue(lines.anyMatch(it -> word.matcher(it).find()), rule + " is not in " + file);
    }
  }

  /// The simple name is enough: it is unique in the repository.
  private static Path source(String tree, String type) throws IOException {
    for (String module : List.of("rollout", "wire", "control", "watchdog")) {
      Path folder = Repository.root().resolve(module).resolve(tree);
      try (Stream<Path> files = Files.walk(folder)) {
        Optional<Path> found = files.filter(it -> it.endsWith(type + ".java")).findFirst();
        if (found.isPresent()) {
          return found.get();
        }
      }
    }
    throw new AssertionError(tree + " has no " + type);
  }
}
