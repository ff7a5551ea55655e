package keyfleet.it.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Checks all sources against the architecture rules. [ArchitectureRule] lists the rules, each with
/// examples that follow it and examples that violate it.
final class ArchitectureTest {
  private static List<SourceFile> sources = List.of();

  @BeforeAll
  static void readSources() {
    sources = Repository.read();
  }

  @Test
  void repository_containsThisFile() {
    String self = "it/src/test/java/keyfleet/it/architecture/ArchitectureTest.java";
    assertTrue(
        sources.stream().anyMatch(file -> file.path().equals(self)),
        () -> self + " is not among " + sources.size() + " files");
  }

  @ParameterizedTest
  @EnumSource
  void sources_followTheRule(ArchitectureRule rule) {
    String violations = rule.violations(sources);
    assertTrue(violations.isEmpty(), () -> System.lineSeparator() + violations);
  }

  @ParameterizedTest
  @EnumSource
  void plantedViolation_isCaught(ArchitectureRule rule) {
    assertNotEquals(List.of(), rule.violatingExamples());
    for (SourceFile file : rule.violatingExamples()) {
      assertNotEquals("", rule.violations(List.of(file)), () -> rule + " misses " + file);
    }
  }

  @ParameterizedTest
  @EnumSource
  void cleanCounterpart_passes(ArchitectureRule rule) {
    assertNotEquals(List.of(), rule.cleanExamples());
    assertEquals("", rule.violations(rule.cleanExamples()));
  }
}
