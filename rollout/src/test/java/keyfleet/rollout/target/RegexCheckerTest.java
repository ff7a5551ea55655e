package keyfleet.rollout.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The check against RE2/J itself, over random expressions.
final class RegexCheckerTest {
  private static final List<String> PIECES =
      List.of(
          "a",
          "b",
          "(",
          ")",
          "(?:",
          "(?i)",
          "(?P<n>",
          "[a-c]",
          "[]x]",
          "[^(]",
          "[[:alpha:]]",
          "|",
          "{9}",
          "{30}",
          "{2,}",
          "{0,40}",
          "{",
          "}",
          "?",
          "*",
          "+",
          ".",
          "^",
          "\\Q\\E",
          "\\Qa(\\E",
          "\\(",
          "\\pL",
          "\\x{30}",
          "\\b",
          "()");

  /// Up to three instructions for each step: an optional copy needs a branch, a group needs two
  /// marks.
  private static final int MAX_PROGRAM = 4 * RegexChecker.MAX_SIZE;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void check_boundsTheProgramAndAcceptsValidRegexes(long seed) {
    Random random = new Random(seed);
    int compiled = 0;
    for (int i = 0; i < 10_000; i++) {
      String regex =
          Stream.generate(() -> PIECES.get(random.nextInt(PIECES.size())))
              .limit(1 + random.nextInt(12))
              .collect(Collectors.joining());
      compiled += isBounded(regex) ? 1 : 0;
    }
    assertTrue(compiled > 500, "only " + compiled + " random expressions compiled");
  }

  private static boolean isBounded(String regex) {
    try {
      RegexChecker.check(regex);
    } catch (TargetSyntaxException fault) {
      boolean isOwnRule =
          fault.reason().contains("repeats too much") || fault.reason().contains("flags");
      if (!isOwnRule) {
        assertThrows(PatternSyntaxException.class, () -> Pattern.compile(regex), regex);
      }
      return false;
    }
    try {
      int size = Pattern.compile(regex).programSize();
      assertTrue(size <= MAX_PROGRAM, () -> regex + " has " + size);
      return true;
    } catch (PatternSyntaxException e) {
      return false;
    }
  }

  /// An empty quotation between two counts makes RE2/J repeat the repetition.
  @ParameterizedTest
  @ValueSource(
      strings = {"x{200}\\Q\\E{200}", "(x{200}){200}", "(?:(x{30}){30}){30}", "(a|x{200}){200}"})
  void nestedCounts_areFoundInAnyForm(String regex) {
    TargetSyntaxException fault =
        assertThrows(TargetSyntaxException.class, () -> RegexChecker.check(regex));
    assertEquals("the regex repeats too much: more than 1000 steps", fault.reason());
  }
}
