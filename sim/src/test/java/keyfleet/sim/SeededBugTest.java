package keyfleet.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The test of the tests: the swarm as it is must notice every mistake.
class SeededBugTest {
  private static final long SEEDS = 6_000;
  private static final Universe KEYS = world -> new KeyFleet(world, Ports.STRAIGHT);
  private static final Universe NODES = world -> new NodeFleet(world, Ports.STRAIGHT);

  /// A mistake, in the fleet that it concerns, and the same fleet without it.
  record Bug(String name, Universe universe, Universe straight) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Bug> bugs() {
    Stream<Bug> keys =
        Arrays.stream(KeyBug.values())
            .map(bug -> new Bug(words(bug), world -> new KeyFleet(world, bug), KEYS));
    Stream<Bug> nodes =
        Arrays.stream(NodeBug.values())
            .map(bug -> new Bug(words(bug), world -> new NodeFleet(world, bug), NODES));
    Bug rewound =
        new Bug("H7 store that loses what it acknowledged", SeededBugTest::rewinding, KEYS);
    return Stream.of(keys, Stream.of(rewound), nodes).flatMap(it -> it);
  }

  private static String words(Enum<?> bug) {
    String words = bug.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    return words.matches("h\\d.*") ? "H" + words.substring(1) : words;
  }

  /// The engines refuse such a store where they can recognise it.
  private static Fleet rewinding(World world) {
    Dice dice = world.dice().named("rewind");
    Fault fault = new Fault(0, Fault.Kind.LOST_SUFFIX, 0, dice.between(1, 20 * Timeline.SECOND), 0);
    world.timeline().in(dice.between(0, Weather.SHORT), () -> world.loseSuffix(fault));
    return new KeyFleet(world, Ports.STRAIGHT);
  }

  @ParameterizedTest
  @MethodSource("bugs")
  void seededBug_isCaught(Bug bug) {
    Optional<Finding> finding = new Swarm(bug.universe()).first(0, SEEDS);
    assertTrue(finding.isPresent(), bug + " was not noticed in " + SEEDS + " seeds");
    System.out.printf(
        "bug: %-45s seed %5d  %s%n", bug, finding.get().seed(), finding.get().broken().promise());
    long seed = finding.get().seed();
    assertTrue(
        new Swarm(bug.straight()).first(seed, 1).isEmpty(),
        "seed " + seed + " breaks a promise without the bug, too");
    Recorded.caught(bug.name(), finding.get());
  }
}
