package keyfleet.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import keyfleet.it.architecture.Repository.TextFile;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Checks all modules against the architecture rules. [ArchitectureRule] lists the rules about
/// classes, [SourceRule] those about texts, each with examples that follow and violate it.
///
/// It runs after all other tests of this module: by then Maven has compiled the modules that it
/// builds at the same time, which this module does not depend on.
@Order(Integer.MAX_VALUE)
final class ArchitectureTest {
  private static final Pattern SOURCE =
      Pattern.compile("\\w+/src/(?:main|test)/java/(.+/(?!package-info)\\w+)\\.java");

  private static final List<TextFile> FILES = Repository.read();
  private static final JavaClasses CLASSES = ClassFiles.ofModules();

  /// Otherwise a rule could miss what is not compiled.
  @Test
  void everySource_isCompiled() {
    List<String> sources =
        FILES.stream()
            .flatMap(file -> SOURCE.matcher(file.path()).results())
            .map(found -> found.group(1).replace('/', '.'))
            .toList();
    assertTrue(sources.contains(getClass().getName()), () -> "no sources: " + sources);
    assertEquals(
        List.of(),
        sources.stream().filter(name -> !CLASSES.contain(name)).toList(),
        "not compiled; Try: ./dev test, which compiles all modules");
  }

  @ParameterizedTest
  @EnumSource
  void classes_followTheRule(ArchitectureRule rule) {
    check(rule, rule.isAdvice(), rule.violations(CLASSES));
  }

  @ParameterizedTest
  @EnumSource
  void files_followTheRule(SourceRule rule) {
    check(rule, rule.isAdvice(), rule.violations(FILES));
  }

  @ParameterizedTest
  @EnumSource
  void violatingClass_isCaught(ArchitectureRule rule, @TempDir Path folder) {
    List<String> violations =
        rule.violations(ClassFiles.ofExamples(rule.violatingExamples(), folder));
    rule.violatingExamples()
        .lines()
        .forEach(
            example -> assertNamed(rule, "\\." + ClassFiles.typeOf(example) + "\\b", violations));
  }

  @ParameterizedTest
  @EnumSource
  void violatingFile_isCaught(SourceRule rule) {
    List<String> violations = rule.violations(rule.violatingExamples());
    assertFalse(violations.isEmpty());
    rule.violatingExamples()
        .forEach(file -> assertNamed(rule, Pattern.quote(file.path()), violations));
  }

  @ParameterizedTest
  @EnumSource
  void cleanClass_passes(ArchitectureRule rule, @TempDir Path folder) {
    assertEquals(List.of(), rule.violations(ClassFiles.ofExamples(rule.cleanExamples(), folder)));
  }

  @ParameterizedTest
  @EnumSource
  void cleanFile_passes(SourceRule rule) {
    assertEquals(List.of(), rule.violations(rule.cleanExamples()));
  }

  private static void check(Enum<?> rule, boolean isAdvice, List<String> violations) {
    if (isAdvice) {
      violations.forEach(it -> System.err.println("advice, " + rule + ": " + it));
    } else {
      assertTrue(violations.isEmpty(), () -> rule + "\n" + String.join("\n", violations));
    }
  }

  private static void assertNamed(Enum<?> rule, String name, List<String> violations) {
    assertTrue(
        violations.stream().anyMatch(it -> Pattern.compile(name).matcher(it).find()),
        () -> rule + " misses " + name + ": " + violations);
  }
}
