package keyfleet.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The test of the tests: the swarm as it is must notice every mistake.
class SeededBugTest {
  private static final long SEEDS = 6_000;

  /// A mistake, in the fleet that it concerns.
  record Bug(String name, Universe universe) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Bug> bugs() {
    Stream<Bug> keys =
        Arrays.stream(KeyBug.values())
            .map(bug -> new Bug(words(bug), world -> new KeyFleet(world, bug)));
    Stream<Bug> nodes =
        Arrays.stream(NodeBug.values())
            .map(bug -> new Bug(words(bug), world -> new NodeFleet(world, bug)));
    Bug rewound = new Bug("H7 store that loses what it acknowledged", SeededBugTest::rewinding);
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
  void seededBug_isCaught(Bug bug) throws IOException {
    Optional<Finding> finding = new Swarm(bug.universe()).first(0, SEEDS);
    assertTrue(finding.isPresent(), bug + " was not noticed in " + SEEDS + " seeds");
    String seed = Long.toString(finding.get().seed());
    String promise = finding.get().broken().promise();
    System.out.printf("bug: %-45s seed %5s  %s%n", bug, seed, promise);
    String record = System.getProperty("keyfleet.record", "");
    if (!record.isEmpty()) {
      new TrackRecord(Path.of(record)).put("bugs", List.of(bug.name(), seed, promise));
    }
  }
}
