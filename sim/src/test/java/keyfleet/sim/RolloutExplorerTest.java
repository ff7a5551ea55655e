package keyfleet.sim;

import static keyfleet.sim.Fixtures.rollout;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import keyfleet.sim.Explorer.Broken;
import keyfleet.sim.Explorer.Holds;
import keyfleet.sim.Explorer.Outcome;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// The rollout as it is built, controller and nodes, in every history of a small fleet with a few
/// troubles.
class RolloutExplorerTest {
  private static final int LIMIT = 3_000_000;

  private static void holds(int nodes, int unavailable, int troubles, int aborts) {
    Outcome outcome =
        new Explorer<RolloutWorld>(LIMIT).explore(rollout(nodes, unavailable, troubles, aborts));
    Holds holds = assertInstanceOf(Holds.class, outcome, outcome.toString());
    String what =
        "rollout, %d nodes, %d may be unavailable, %d troubles, %d aborts"
            .formatted(nodes, unavailable, troubles, aborts);
    System.out.printf("explorer: %s: holds in %,d states%n", what, holds.states());
    Recorded.explored(what, holds.states());
  }

  @ParameterizedTest
  @CsvSource({"2, 0, 2, 1", "2, 1, 2, 0", "3, 1, 1, 1"})
  void rollout_breaksNoPromise(int nodes, int unavailable, int troubles, int aborts) {
    holds(nodes, unavailable, troubles, aborts);
  }

  @ParameterizedTest
  @CsvSource({"3, 1, 2, 1", "2, 1, 3, 1"})
  @Tag("soak")
  void longRollout_breaksNoPromise(int nodes, int unavailable, int troubles, int aborts) {
    holds(nodes, unavailable, troubles, aborts);
  }

  /// The test of the test: each mistake must be found, with a history that shows it.
  @ParameterizedTest
  @EnumSource
  void bentLaw_isCaught(RolloutBug bug) {
    Outcome outcome = new Explorer<RolloutWorld>(LIMIT).explore(rollout(2, 0, 1, 1, bug));
    Broken broken = assertInstanceOf(Broken.class, outcome, bug + " was not noticed");
    System.out.printf(
        "explorer: %s caught by %s after %,d states, in %d steps%n",
        bug, broken.promise(), broken.states(), broken.history().size());
    assertFalse(broken.history().isEmpty());
  }
}
