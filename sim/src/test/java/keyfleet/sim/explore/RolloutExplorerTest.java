package keyfleet.sim.explore;

import static keyfleet.sim.explore.ExplorerFixtures.rolloutState;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import keyfleet.sim.TrackRecordWriter;
import keyfleet.sim.explore.Explorer.Holds;
import keyfleet.sim.explore.Explorer.Outcome;
import keyfleet.sim.explore.Explorer.Violated;
import keyfleet.sim.explore.ExplorerFixtures.RolloutSize;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Explores the production code of the rollout, controller and nodes, in every history of a small
/// fleet with a few faults.
class RolloutExplorerTest {
  private static final int LIMIT = 3_000_000;
  private static final int SOAK_LIMIT = 30_000_000;

  private static void assertHolds(RolloutSize size, int limit) {
    Outcome outcome =
        new Explorer<RolloutModelState>(limit).explore(rolloutState(size, RolloutProtocol.CORRECT));
    Holds holds = assertInstanceOf(Holds.class, outcome, outcome.toString());
    System.out.printf("explorer: %s: holds in %,d states%n", size, holds.states());
    TrackRecordWriter.recordExploration("rollout, " + size, holds.states());
  }

  @ParameterizedTest
  @CsvSource({"2, 0, 0, 2, 1, 0", "2, 0, 1, 2, 0, 0", "3, 0, 1, 1, 1, 0", "1, 1, 0, 1, 0, 1"})
  void rollout_breaksNoPromise(
      int batches, int offline, int unavailable, int faults, int aborts, int rollbacks) {
    assertHolds(new RolloutSize(batches, offline, unavailable, faults, aborts, rollbacks), LIMIT);
  }

  @ParameterizedTest
  @CsvSource({"3, 0, 1, 2, 1, 0", "2, 0, 1, 3, 1, 0", "2, 1, 1, 1, 0, 1"})
  @Tag("soak")
  void longRollout_breaksNoPromise(
      int batches, int offline, int unavailable, int faults, int aborts, int rollbacks) {
    assertHolds(
        new RolloutSize(batches, offline, unavailable, faults, aborts, rollbacks), SOAK_LIMIT);
  }

  /// Checks the explorer: it must find each bug, with a history that shows it.
  @ParameterizedTest
  @EnumSource
  void plantedBug_isCaught(ExplorerRolloutBug bug) {
    Outcome outcome =
        new Explorer<RolloutModelState>(LIMIT)
            .explore(rolloutState(new RolloutSize(2, 0, 0, 1, 1, 0), bug));
    Violated violated = assertInstanceOf(Violated.class, outcome, bug + " was not found");
    System.out.printf(
        "explorer: %s caught by %s after %,d states, in %d steps%n",
        bug, violated.invariant(), violated.states(), violated.history().size());
    assertFalse(violated.history().isEmpty());
  }
}
