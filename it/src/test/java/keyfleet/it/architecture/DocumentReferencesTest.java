package keyfleet.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import keyfleet.it.architecture.Repository.TextFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The documents for developers name types and files that exist, so that a rename or a move cannot
/// leave them behind.
final class DocumentReferencesTest {
  /// `Type`, or `Type.member`, in code style. Words in capitals are states or file names.
  private static final Pattern TYPE = Pattern.compile("`([A-Z][a-z]\\w*)(?:\\.\\w+)?`");

  /// A type at the start of a line, nested types included.
  private static final Pattern DECLARATION =
      Pattern.compile("(?m)^ *(?:[a-z@][\\w-]* )*(?:class|record|interface|enum) (\\w+)");

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s#]+)(?:#[^)]*)?\\)");

  private static Set<String> types = Set.of();
  private static List<TextFile> files = List.of();

  @BeforeAll
  static void readRepository() {
    files = Repository.read();
    types =
        files.stream()
            .filter(file -> file.path().endsWith(".java"))
            .flatMap(file -> DECLARATION.matcher(file.text()).results())
            .map(declaration -> declaration.group(1))
            .collect(Collectors.toSet());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "docs/GLOSSARY.md",
        "docs/internals/key-rules.md",
        "docs/internals/looks-wrong-but-is-right.md",
        "docs/internals/rollout-rules.md"
      })
  void typeInADocument_exists(String path) {
    Set<String> named = new TreeSet<>(names(TYPE, path).toList());
    assertFalse(named.isEmpty(), () -> path + " names no type");
    named.removeAll(types);
    assertEquals(Set.of(), named, () -> path + " names types that do not exist");
  }

  @Test
  void linkInADocument_leadsToAFile() {
    Set<String> broken = new TreeSet<>();
    files.stream()
        .map(TextFile::path)
        .filter(path -> path.endsWith(".md"))
        .forEach(path ->
            names(LINK, path)
                .filter(link -> !link.contains("://"))
                .filter(link -> !isFile(path, link))
                .forEach(link -> broken.add(path + " -> " + link)));
    assertEquals(Set.of(), broken);
  }

  private static boolean isFile(String document, String link) {
    return Files.exists(Repository.root().resolve(document).resolveSibling(link).normalize());
  }

  private static Stream<String> names(Pattern pattern, String path) {
    String text =
        files.stream()
            .filter(file -> file.path().equals(path))
            .findFirst()
            .map(TextFile::text)
            .orElseThrow(() -> new IllegalStateException("there is no " + path));
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(1));
  }
}
