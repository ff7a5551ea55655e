package keyfleet.rollout.target;

import static keyfleet.rollout.RolloutFixtures.nodes;
import static keyfleet.rollout.RolloutFixtures.target;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.LinkedHashSet;
import java.util.List;
import keyfleet.rollout.target.Target.And;
import keyfleet.rollout.target.Target.Fact;
import keyfleet.rollout.target.Target.Glob;
import keyfleet.rollout.target.Target.Ids;
import keyfleet.rollout.target.Target.Not;
import keyfleet.rollout.target.Target.Or;
import keyfleet.rollout.target.Target.Regex;
import keyfleet.rollout.target.TargetParser.InvalidTarget;
import keyfleet.rollout.target.TargetParser.Parsed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TargetParserTest {
  private static final Target A = new Glob("a");
  private static final Target B = new Glob("b");
  private static final Target C = new Glob("c");

  @Test
  void eachPrefix_givesItsKindOfTarget() {
    assertEquals(new Glob("web*"), target("web*"));
    assertEquals(new Regex("web[0-9]+"), target("E@web[0-9]+"));
    assertEquals(new Ids(new LinkedHashSet<>(nodes("a", "b.c", "d/e"))), target("L@a,b.c,d/e"));
    assertEquals(new Fact("os:family:debian"), target("G@os:family:debian"));
  }

  @Test
  void precedence_isNotAndOr() {
    assertEquals(new Or(List.of(A, new And(List.of(B, C)))), target("a or b and c"));
    assertEquals(new Or(List.of(new And(List.of(A, B)), C)), target("a and b or c"));
    assertEquals(new And(List.of(new Not(A), B)), target("not a and b"));
    assertEquals(new Not(new And(List.of(A, B))), target("not (a and b)"));
    assertEquals(new And(List.of(new Or(List.of(A, B)), C)), target("(a or b) and c"));
    assertEquals(new Not(new Not(A)), target("not not a"));
    assertEquals(new And(List.of(A, B, C)), target("a and b and c"));
    assertEquals(new And(List.of(new And(List.of(A, B)), C)), target("(a and b) and c"));
  }

  /// The right column is the target as it is written.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          (a)                      | a
          ((a))or(b)               | a or b
          not(a or b)and(c)        | not (a or b) and c
          "  a\tand\n b "          | a and b
          (E@web(1:2) or db*)      | E@web(1:2) or db*
          E@(a:b)(c:d)             | E@(a:b)(c:d)
          'and'                    | 'and'
          'not' and 'or'           | 'not' and 'or'
          G@os:'Red Hat*'          | G@'os:Red Hat*'
          'G@os:Red Hat*'          | G@'os:Red Hat*'
          E@'a (b'')?'             | E@'a (b'')?'
          'a'b'c'                  | abc
          E@'\\('                  | E@'\\('
          AND                      | AND
          android                  | android
          []a]                     | []a]
          [!]a]*                   | [!]a]*
          G@ip6:fe80::1            | G@ip6:fe80::1
          G@mail:*@example.org     | G@mail:*@example.org
          L@a,b,a                  | L@a,b
          """)
  void validText_isParsedAndFormatted(String text, String written) {
    assertEquals(written, target(text).toString());
    assertEquals(target(text), target(written));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          ""               | 0  | empty target
          "   "            | 0  | empty target
          ()               | 1  | expected a target, found )
          a and            | 5  | expected a target, found the end
          and a            | 0  | expected a target, found and
          a or or b        | 5  | expected a target, found or
          a and (or b)     | 7  | expected a target, found or
          not              | 3  | expected a target, found the end
          web* db*         | 5  | missing operator (and, or) before db*
          a not b          | 2  | missing operator (and, or) before not
          a AND b          | 2  | missing operator (and, or) before AND
          a (b)            | 2  | missing operator (and, or) before (
          web(1)           | 3  | missing operator (and, or) before (
          (a b)            | 3  | missing operator (and, or) before b
          a and (b or c    | 6  | unclosed (
          ((a)             | 0  | unclosed (
          a)               | 1  | unmatched )
          a or (b)) and c  | 8  | unmatched )
          X@foo            | 0  | unknown prefix X@: use E@, L@ or G@
          a or e@x         | 5  | unknown prefix e@: use E@, L@ or G@
          @x               | 0  | unknown prefix @: use E@, L@ or G@
          N@group          | 0  | unknown prefix N@: use E@, L@ or G@
          ''               | 0  | empty quotes
          a or 'b          | 5  | unclosed quote
          web[12           | 3  | unclosed [
          web[]            | 3  | unclosed [
          web[^1]          | 4  | [^ is ambiguous: write [! to exclude
          web[a-c9-1]      | 7  | reversed range
          'we''b['         | 6  | unclosed [
          L@               | 2  | empty node id
          L@a,,b           | 4  | empty node id
          L@a,b*           | 4  | not a node id: b*
          L@a,.b           | 4  | not a node id: .b
          G@os             | 4  | a fact must be key:value
          G@:x             | 2  | a fact needs a key
          G@os:            | 5  | a fact needs a value; use * for any
          G@o*:x           | 2  | the key of a fact must not have wildcards
          G@os:x[          | 6  | unclosed [
          G@os:fam:[b-A]   | 10 | reversed range
          """)
  void invalidText_hasPositionAndReason(String text, int position, String reason) {
    assertEquals(new InvalidTarget(position, reason), TargetParser.parse(text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      quoteCharacter = '"',
      textBlock =
          """
          E@                   ! 2  ! empty regex
          E@web(?=1)           ! 5  ! lookaround is not supported
          "a or E@x(?!1)"      ! 8  ! lookaround is not supported
          E@(?<=a)b            ! 2  ! lookaround is not supported
          "E@b(?<!a)"          ! 3  ! lookaround is not supported
          E@(a)\\1             ! 5  ! backreferences are not supported
          E@(?P<n>a)(?P=n)     ! 10 ! backreferences are not supported
          E@(?P<n>a)\\k<n>     ! 10 ! backreferences are not supported
          E@'(a'               ! 3  ! unclosed ( in the regex
          E@(a                 ! 2  ! unclosed ( inside a word: put the word in quotes
          E@(a b)              ! 2  ! unclosed ( inside a word: put the word in quotes
          E@'a)'               ! 4  ! unmatched ) in the regex
          E@a[bc               ! 3  ! unclosed [ in the regex
          E@a**                ! 3  ! invalid nested repetition operator in the regex
          E@*a                 ! 2  ! missing argument to repetition operator in the regex
          E@a\\                ! 3  ! trailing backslash at end of expression in the regex
          E@a(?i)b             ! 3  ! flags are not supported: ids are matched as they are
          E@(?s-i:b)           ! 2  ! flags are not supported: ids are matched as they are
          E@x{1001}            ! 3  ! the regex repeats too much: more than 1000 steps
          E@(x{1000}){1000}    ! 10 ! the regex repeats too much: more than 1000 steps
          E@((x{99}){99}){99}  ! 10 ! the regex repeats too much: more than 1000 steps
          """)
  void invalidRegex_hasPositionAndReason(String text, int position, String reason) {
    assertEquals(new InvalidTarget(position, reason), TargetParser.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "E@'\\Q(?=\\E'",
        "E@'[(?=]'",
        "E@'[\\]\\)]x'",
        "E@[[:alpha:]]+",
        "E@a{2,}b{3}",
        "E@(?P<n>a)",
        "E@(?:[0-9]{1,3}\\.){3}x",
        "E@a{",
        "E@a{x}",
        "E@[]a]"
      })
  void regexThatOnlyLooksUnsupported_isAccepted(String text) {
    assertInstanceOf(Parsed.class, TargetParser.parse(text), () -> "" + TargetParser.parse(text));
  }

  @Test
  void loneSurrogate_isRefusedAtItsPosition() {
    String grin = "\uD83D\uDE00";
    assertEquals(
        new InvalidTarget(3, "half a character (lone surrogate)"),
        TargetParser.parse(grin + "a\uD83D"));
    assertInstanceOf(Parsed.class, TargetParser.parse(grin));
  }

  @Test
  void length_isBounded() {
    assertInstanceOf(Parsed.class, TargetParser.parse("a".repeat(4096)));
    assertEquals(
        new InvalidTarget(4096, "a target has at most 4096 characters"),
        TargetParser.parse("a".repeat(4097)));
    assertInstanceOf(Parsed.class, TargetParser.parse("E@" + "a".repeat(512)));
    assertEquals(
        new InvalidTarget(514, "a regex has at most 512 characters"),
        TargetParser.parse("E@" + "a".repeat(513)));
  }

  @Test
  void textThatFormatsTooLong_isRefused() {
    String text = "(not(a or b))and".repeat(255) + "(not(a))";
    assertEquals(
        new InvalidTarget(0, "written in full, the target has more than 4096 characters"),
        TargetParser.parse(text));
  }

  @Test
  void nesting_isBounded() {
    assertInstanceOf(Parsed.class, TargetParser.parse("(".repeat(63) + "a" + ")".repeat(63)));
    assertEquals(
        new InvalidTarget(64, "nested deeper than 64"),
        TargetParser.parse("(".repeat(64) + "a" + ")".repeat(64)));
    assertInstanceOf(Parsed.class, TargetParser.parse("not ".repeat(63) + "a"));
    assertEquals(
        new InvalidTarget(256, "nested deeper than 64"),
        TargetParser.parse("not ".repeat(64) + "a"));
    assertEquals(
        new InvalidTarget(64, "nested deeper than 64"), TargetParser.parse("(".repeat(4096)));
  }

  @Test
  void valuesThatNoTextProduces_areRejected() {
    assertThrows(IllegalArgumentException.class, () -> new Glob("a@b"));
    assertThrows(IllegalArgumentException.class, () -> new Glob(""));
    assertThrows(IllegalArgumentException.class, () -> new And(List.of(A)));
    assertThrows(IllegalArgumentException.class, () -> new Ids(new LinkedHashSet<>()));
  }
}
