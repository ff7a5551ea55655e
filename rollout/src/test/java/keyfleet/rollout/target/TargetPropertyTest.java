package keyfleet.rollout.target;

import static keyfleet.rollout.RolloutFixtures.facts;
import static keyfleet.rollout.RolloutFixtures.node;
import static keyfleet.rollout.RolloutFixtures.target;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.target.Target.And;
import keyfleet.rollout.target.Target.Fact;
import keyfleet.rollout.target.Target.Glob;
import keyfleet.rollout.target.Target.Ids;
import keyfleet.rollout.target.Target.Not;
import keyfleet.rollout.target.Target.Or;
import keyfleet.rollout.target.Target.Regex;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Properties of random targets; a failure names the seed and the target.
final class TargetPropertyTest {
  private static final List<Facts> FACTS =
      List.of(Facts.NONE, facts("x=1"), facts("x=2; y.z=1"), facts("x=; y.z=a b,it's"));

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void formattedTarget_isParsedBackEqual(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 3000; i++) {
      Target original = random(random, 4);
      assertEquals(original, target(original.toString()), original.toString());
      assertEquals(original.toString(), target(original.toString()).toString());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5})
  void deMorgan_holdsInThreeValues(long seed) {
    Random random = new Random(seed);
    Set<TargetMatch> seen = EnumSet.noneOf(TargetMatch.class);
    for (int i = 0; i < 3000; i++) {
      List<Target> terms = Stream.generate(() -> random(random, 2)).limit(3).toList();
      List<Target> negated = terms.stream().<Target>map(Not::new).toList();
      Facts facts = FACTS.get(random.nextInt(FACTS.size()));
      NodeId node = node(random.nextBoolean() ? "web1" : "b");
      assertEquals(
          new Not(new And(terms)).matches(node, facts), new Or(negated).matches(node, facts));
      assertEquals(
          new Not(new Or(terms)).matches(node, facts), new And(negated).matches(node, facts));
      seen.add(new And(terms).matches(node, facts));
    }
    assertEquals(
        EnumSet.allOf(TargetMatch.class), seen, "the random targets must meet every value");
  }

  /// Learning a fact never changes an answer that did not depend on it.
  @Test
  void addedFact_keepsEveryKnownAnswer() {
    Random random = new Random(6);
    for (int i = 0; i < 3000; i++) {
      Target original = random(random, 3);
      TargetMatch before = original.matches(node("web1"), Facts.NONE);
      if (before != TargetMatch.UNKNOWN) {
        for (Facts facts : FACTS) {
          assertEquals(before, original.matches(node("web1"), facts), original.toString());
        }
      }
    }
  }

  /// The truth table of the package's description, with `and` defined as a minimum.
  @Test
  void everyPairOfValues_followsKleene() {
    List<TargetMatch> ascending = List.of(TargetMatch.NO, TargetMatch.UNKNOWN, TargetMatch.YES);
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) {
        assertEquals(ascending.get(Math.min(a, b)), ascending.get(a).and(ascending.get(b)));
        assertEquals(ascending.get(Math.max(a, b)), ascending.get(a).or(ascending.get(b)));
      }
      assertEquals(ascending.get(2 - a), ascending.get(a).not());
    }
    assertNotEquals(TargetMatch.NO, TargetMatch.UNKNOWN.not());
  }

  private static Target random(Random random, int depth) {
    int kind = random.nextInt(depth == 0 ? 4 : 7);
    return switch (kind) {
      case 0 ->
          new Glob(pick(random, "*", "web*", "b", "and", "not", "a b", "it's", "(x)", "[!)]"));
      case 1 -> new Regex(pick(random, "web(1|2)", "b", "a|b", "\\(", "'", "a b", "[(]", "x@y"));
      case 2 -> new Ids(Set.of(node(pick(random, "web1", "b", "or"))));
      case 3 -> new Fact(pick(random, "x:1", "x:*", "y:z:1", "y:z:a b", "y:z:it's", "x:(", "x:')"));
      case 4 -> new Not(random(random, depth - 1));
      case 5 -> new And(terms(random, depth - 1));
      default -> new Or(terms(random, depth - 1));
    };
  }

  private static List<Target> terms(Random random, int depth) {
    return Stream.generate(() -> random(random, depth)).limit(2 + random.nextInt(2)).toList();
  }

  private static String pick(Random random, String... options) {
    return options[random.nextInt(options.length)];
  }
}
