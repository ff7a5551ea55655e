package keyfleet.sim.explore;

import static keyfleet.sim.explore.ExplorerFixtures.rotate;
import static keyfleet.sim.explore.ExplorerFixtures.rotateAndAbort;
import static keyfleet.sim.explore.ExplorerFixtures.rotationState;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.util.List;
import keyfleet.sim.TrackRecordWriter;
import keyfleet.sim.explore.Explorer.Holds;
import keyfleet.sim.explore.Explorer.Outcome;
import keyfleet.sim.explore.Explorer.Violated;
import keyfleet.sim.explore.ExplorerFixtures.InitialFault;
import keyfleet.sim.explore.ExplorerFixtures.RotationSize;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Explores the production code of the rotation in every history of a small fleet.
class RotationExplorerTest {
  private static final int LIMIT = 3_000_000;
  private static final int SOAK_LIMIT = 30_000_000;

  private static void assertHolds(RotationSize rotationSize, List<RotationOrder> orders) {
    assertHolds(rotationSize, orders, LIMIT);
  }

  private static void assertHolds(
      RotationSize rotationSize, List<RotationOrder> orders, int limit) {
    Outcome outcome =
        new Explorer<RotationModelState>(limit)
            .explore(rotationState(rotationSize, orders, RotationProtocol.CORRECT));
    Holds holds = assertInstanceOf(Holds.class, outcome, outcome.toString());
    System.out.printf(
        "explorer: %d orders, %s: holds in %,d states%n",
        orders.size(), rotationSize, holds.states());
    TrackRecordWriter.recordExploration(
        "rotation, " + orders.size() + " orders, " + rotationSize, holds.states());
  }

  @Test
  void rotation_breaksNoPromise() {
    assertHolds(new RotationSize(1, 2, 1, 2).with(InitialFault.GIVEN_UP_WORKER), rotate());
  }

  @Test
  void rotationWithAbort_breaksNoPromise() {
    assertHolds(new RotationSize(1, 2, 1, 2), rotateAndAbort());
  }

  @Test
  void twoWritersAndTwoRecords_breakNoPromise() {
    assertHolds(new RotationSize(2, 1, 2, 1), rotate());
  }

  @Test
  void writerThatJoinsWithoutTheKey_breaksNoPromise() {
    assertHolds(new RotationSize(1, 1, 2, 1).with(InitialFault.LATE_WRITER), rotate());
  }

  /// The keystore is restored from a backup that is older than the rotation, and an operator
  /// decides.
  @Test
  void restoredKeystore_isHeldAndResolved() {
    assertHolds(
        new RotationSize(1, 1, 2, 1).with(InitialFault.LATE_WRITER),
        ExplorerFixtures.rotateAndRestore());
  }

  /// Four processes and two records.
  @Test
  @Tag("soak")
  void longRotation_breaksNoPromise() {
    assertHolds(new RotationSize(2, 1, 2, 2), rotate(), SOAK_LIMIT);
  }

  /// Checks the explorer: it must find each bug, with a history that shows it.
  @ParameterizedTest
  @EnumSource
  void plantedBug_isCaught(ExplorerRotationBug bug) {
    Outcome outcome =
        new Explorer<RotationModelState>(LIMIT)
            .explore(rotationState(bug.rotationSize(), bug.orders(), bug));
    Violated violated = assertInstanceOf(Violated.class, outcome, bug + " was not found");
    System.out.printf(
        "explorer: %s caught by %s after %,d states, in %d steps%n",
        bug, violated.invariant(), violated.states(), violated.history().size());
    assertFalse(violated.history().isEmpty());
  }
}
