package keyfleet.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import keyfleet.it.architecture.Repository.TextFile;
import org.junit.jupiter.api.Test;

/// Compares the page of rollout rules with the sources: each rule is named in the class that
/// enforces it and in the test that checks it.
class RolloutRulesTest {
  private static final Pattern ROW =
      Pattern.compile("\\| ([RI]\\d+) \\| .+ \\| `(\\w+)` \\| `(\\w+)` \\|");

  private static final List<TextFile> FILES = Repository.read();

  private record Row(String rule, String enforcedBy, String testedBy) {}

  private static List<Row> rows() {
    return FILES.stream()
        .filter(it -> it.path().equals("docs/internals/rollout-rules.md"))
        .flatMap(page -> page.text().lines())
        .map(ROW::matcher)
        .filter(row -> row.matches())
        .map(row -> new Row(row.group(1), row.group(2), row.group(3)))
        .toList();
  }

  @Test
  void everyRule_hasARow() {
    List<String> rules = new ArrayList<>();
    IntStream.rangeClosed(1, 24).forEach(n -> rules.add("R" + n));
    IntStream.rangeClosed(1, 12).forEach(n -> rules.add("I" + n));
    assertEquals(rules, rows().stream().map(Row::rule).toList());
  }

  @Test
  void everyRule_isNamedInItsClassAndInItsTest() {
    for (Row row : rows()) {
      assertNames(row.rule(), "src/main/java", row.enforcedBy());
      assertNames(row.rule(), "src/test/java", row.testedBy());
    }
  }

  private static void assertNames(String rule, String tree, String type) {
    TextFile source = source(tree, type);
    assertTrue(
        Pattern.compile("\\b" + rule + "\\b").matcher(source.text()).find(),
        () -> rule + " is not in " + source.path());
  }

  /// The simple name is enough: it is unique in the repository.
  private static TextFile source(String tree, String type) {
    return FILES.stream()
        .filter(it -> it.name().equals(type + ".java") && it.path().contains(tree))
        .findFirst()
        .orElseThrow(() -> new AssertionError(tree + " has no " + type));
  }
}
