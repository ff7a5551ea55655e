package keyfleet.sim;

import static keyfleet.sim.Fixtures.rollout;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import keyfleet.sim.Explorer.Broken;
import keyfleet.sim.Explorer.Holds;
import keyfleet.sim.Explorer.Outcome;
import keyfleet.sim.Fixtures.Voyage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// The rollout as it is built, controller and nodes, in every history of a small fleet with a few
/// troubles.
class RolloutExplorerTest {
  private static final int LIMIT = 3_000_000;
  private static final int SOAK_LIMIT = 30_000_000;

  private static void holds(Voyage voyage, int limit) {
    Outcome outcome = new Explorer<RolloutWorld>(limit).explore(rollout(voyage, RolloutLaws.TRUE));
    Holds holds = assertInstanceOf(Holds.class, outcome, outcome.toString());
    System.out.printf("explorer: %s: holds in %,d states%n", voyage, holds.states());
    Recorded.explored("rollout, " + voyage, holds.states());
  }

  @ParameterizedTest
  @CsvSource({"2, 0, 0, 2, 1, 0", "2, 0, 1, 2, 0, 0", "3, 0, 1, 1, 1, 0", "1, 1, 0, 1, 0, 1"})
  void rollout_breaksNoPromise(
      int batches, int offline, int unavailable, int troubles, int aborts, int rollbacks) {
    holds(new Voyage(batches, offline, unavailable, troubles, aborts, rollbacks), LIMIT);
  }

  @ParameterizedTest
  @CsvSource({"3, 0, 1, 2, 1, 0", "2, 0, 1, 3, 1, 0", "2, 1, 1, 1, 0, 1"})
  @Tag("soak")
  void longRollout_breaksNoPromise(
      int batches, int offline, int unavailable, int troubles, int aborts, int rollbacks) {
    holds(new Voyage(batches, offline, unavailable, troubles, aborts, rollbacks), SOAK_LIMIT);
  }

  /// The test of the test: each mistake must be found, with a history that shows it.
  @ParameterizedTest
  @EnumSource
  void bentLaw_isCaught(RolloutBug bug) {
    Outcome outcome =
        new Explorer<RolloutWorld>(LIMIT).explore(rollout(new Voyage(2, 0, 0, 1, 1, 0), bug));
    Broken broken = assertInstanceOf(Broken.class, outcome, bug + " was not noticed");
    System.out.printf(
        "explorer: %s caught by %s after %,d states, in %d steps%n",
        bug, broken.promise(), broken.states(), broken.history().size());
    assertFalse(broken.history().isEmpty());
  }
}
