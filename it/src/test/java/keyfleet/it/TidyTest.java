package keyfleet.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Keeps the rules of the house. What a rule says, and examples of both sides, is in [HouseRule].
final class TidyTest {
  private static List<SourceFile> checkout = List.of();

  @BeforeAll
  static void readOnce() {
    checkout = Checkout.read();
  }

  @Test
  void checkout_holdsThisFile() {
    String self = "it/src/test/java/keyfleet/it/TidyTest.java";
    assertTrue(
        checkout.stream().anyMatch(file -> file.path().equals(self)),
        () -> self + " is not among " + checkout.size() + " files");
  }

  @ParameterizedTest
  @EnumSource
  void checkout_isTidy(HouseRule rule) {
    String violations = rule.violations(checkout);
    assertTrue(violations.isEmpty(), () -> System.lineSeparator() + violations);
  }

  @ParameterizedTest
  @EnumSource
  void plantedViolation_isCaught(HouseRule rule) {
    assertNotEquals(List.of(), rule.planted());
    for (SourceFile file : rule.planted()) {
      assertNotEquals("", rule.violations(List.of(file)), () -> rule + " misses " + file);
    }
  }

  @ParameterizedTest
  @EnumSource
  void cleanCounterpart_passes(HouseRule rule) {
    assertNotEquals(List.of(), rule.clean());
    assertEquals("", rule.violations(rule.clean()));
  }
}
