package keyfleet.sim.explore;

import static keyfleet.sim.explore.ExplorerFixtures.rolloutState;
import static keyfleet.sim.explore.ExplorerFixtures.rotate;
import static keyfleet.sim.explore.ExplorerFixtures.rotateAbortAndWithdraw;
import static keyfleet.sim.explore.ExplorerFixtures.rotateAndRestore;
import static keyfleet.sim.explore.ExplorerFixtures.rotationState;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.RotationEvent;
import keyfleet.rollout.DesiredState;
import keyfleet.sim.TrackRecordWriter;
import keyfleet.sim.explore.ExplorerFixtures.InitialFault;
import keyfleet.sim.explore.ExplorerFixtures.RolloutSize;
import keyfleet.sim.explore.ExplorerFixtures.RotationSize;
import keyfleet.store.Fence;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Checks the models of `spec/` with TLC: their properties hold, planted bugs are found, and two
/// models have as many states as the explorer finds in the production classes.
class TlaModelTest {
  private static final Duration LIMIT = Duration.ofMinutes(8);
  private static final Duration SOAK_LIMIT = Duration.ofHours(6);
  private static final int EXPLORER_LIMIT = 1_000_000;

  private static final RotationSize SMALL =
      new RotationSize(1, 2, 1, 2).with(InitialFault.GIVEN_UP_WORKER);
  private static final RotationSize JOINING =
      new RotationSize(1, 1, 2, 1).with(InitialFault.LATE_WRITER);

  /// The correct protocol on machines whose clocks stop during suspend.
  private static final RotationProtocol CLOCK_STOPS_IN_SUSPEND =
      new RotationProtocol() {
        @Override
        public SuspendedClock suspendedClock() {
          return SuspendedClock.STOPS;
        }
      };

  /// A store that accepts only one fence per epoch. It violates no property, because no rotation
  /// gets far.
  private static final RotationProtocol ONE_FENCE_PER_EPOCH =
      new RotationProtocol() {
        @Override
        public boolean isFenceAccepted(Fence present, Fence offered) {
          return offered.term().epoch() > present.term().epoch();
        }
      };

  /// As for records, a rotation that waits for its proof cannot be aborted. It violates no
  /// property.
  private static final PluginProtocol ABORT_REFUSED_LATE =
      new PluginProtocol() {
        @Override
        public KeystoreDecision decide(Keystore keystore, RotationEvent event) {
          return event instanceof RotationEvent.AbortRequested
                  && keystore.rotation() instanceof Rotation.Proving
              ? new KeystoreDecision.Ignored()
              : keystore.decide(event);
        }
      };

  /// A store that keeps a desired state under the claim that first wrote it. It violates no
  /// property, but a node does not learn of a new driver that wants the same.
  private static final RolloutProtocol REPEATED_ORDER_KEPT =
      new RolloutProtocol() {
        @Override
        public boolean canReplace(DesiredState next, DesiredState present) {
          boolean isNew = next.goal() != present.goal() || !next.task().equals(present.task());
          return isNew && next.canReplace(present);
        }
      };

  @TempDir private Path folder;

  private long assertHolds(TlaModelConfig config, TlcRunner tlc)
      throws IOException, InterruptedException {
    TlcRunner.Verdict verdict = tlc.check(config);
    TlcRunner.Holds holds = assertInstanceOf(TlcRunner.Holds.class, verdict, verdict.toString());
    System.out.printf(
        "model: %s, %s.cfg: %,d distinct states, %s%n",
        config.module(), config.name(), holds.states(), config.summary());
    TrackRecordWriter.recordExploration(
        "model " + config.name() + ", " + config.summary(), holds.states());
    return holds.states();
  }

  private long assertHolds(String name) throws IOException, InterruptedException {
    return assertHolds(TlaModelConfig.read(name), new TlcRunner(folder, 1, LIMIT));
  }

  private static long countStates(
      RotationSize rotationSize, List<RotationOrder> orders, RotationProtocol protocol) {
    Explorer.Outcome outcome =
        new Explorer<RotationModelState>(EXPLORER_LIMIT)
            .explore(rotationState(rotationSize, orders, protocol));
    return assertInstanceOf(Explorer.Holds.class, outcome, outcome.toString()).states();
  }

  /// If only one side changes, the numbers differ.
  @Test
  void rotationModel_holds_andMatchesTheExplorer() throws IOException, InterruptedException {
    long states = assertHolds("Rotation");
    assertEquals(states, countStates(SMALL, rotateAbortAndWithdraw(), CLOCK_STOPS_IN_SUSPEND));
    assertNotEquals(states, countStates(SMALL, rotateAbortAndWithdraw(), RotationProtocol.CORRECT));
  }

  @Test
  void rotationModelWithALateWriter_holds_andMatchesTheExplorer()
      throws IOException, InterruptedException {
    long states = assertHolds("RotationJoin");
    assertEquals(states, countStates(JOINING, rotateAbortAndWithdraw(), RotationProtocol.CORRECT));
    assertNotEquals(states, countStates(JOINING, rotateAbortAndWithdraw(), ONE_FENCE_PER_EPOCH));
  }

  @Test
  void rotationModelWithARestoredKeystore_holds_andMatchesTheExplorer()
      throws IOException, InterruptedException {
    long states = assertHolds("RotationHold");
    assertEquals(states, countStates(JOINING, rotateAndRestore(), RotationProtocol.CORRECT));
    assertNotEquals(states, countStates(JOINING, rotate(), RotationProtocol.CORRECT));
  }

  @Test
  void pluginModel_holds_andMatchesTheExplorer() throws IOException, InterruptedException {
    long states = assertHolds("Plugins");
    assertEquals(states, countStates(PluginProtocol.CORRECT));
    assertNotEquals(states, countStates(ABORT_REFUSED_LATE));
  }

  private static long countStates(PluginProtocol protocol) {
    Explorer.Outcome outcome =
        new Explorer<PluginModelState>(EXPLORER_LIMIT)
            .explore(ExplorerFixtures.pluginState(protocol));
    return assertInstanceOf(Explorer.Holds.class, outcome, outcome.toString()).states();
  }

  private static long countStates(RolloutSize size, RolloutProtocol protocol) {
    Explorer.Outcome outcome =
        new Explorer<RolloutModelState>(EXPLORER_LIMIT).explore(rolloutState(size, protocol));
    return assertInstanceOf(Explorer.Holds.class, outcome, outcome.toString()).states();
  }

  @ParameterizedTest
  @CsvSource({"RolloutSteps, 2, 0, 1, 1, 1, 0", "RolloutStepsBack, 1, 1, 0, 1, 0, 1"})
  void rolloutModel_holds_andMatchesTheExplorer(
      String name, int batches, int offline, int unavailable, int faults, int aborts, int rollbacks)
      throws IOException, InterruptedException {
    RolloutSize size = new RolloutSize(batches, offline, unavailable, faults, aborts, rollbacks);
    long states = assertHolds(name);
    assertTrue(states >= 10_000, () -> states + " states are too few");
    assertEquals(states, countStates(size, RolloutProtocol.CORRECT));
    assertNotEquals(states, countStates(size, REPEATED_ORDER_KEPT));
  }

  @ParameterizedTest
  @ValueSource(strings = {"RotationEnds", "Rollout", "RolloutEnds"})
  void model_holds(String name) throws IOException, InterruptedException {
    assertHolds(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"RotationSoak", "RotationHoldSoak", "RolloutSoak"})
  @Tag("soak")
  void largeModel_holds(String name) throws IOException, InterruptedException {
    assertHolds(TlaModelConfig.read(name), new TlcRunner(folder, 2, SOAK_LIMIT));
  }

  @ParameterizedTest
  @EnumSource
  void plantedModelBug_isCaught(TlaModelBug bug) throws IOException, InterruptedException {
    TlcRunner.Verdict verdict = new TlcRunner(folder, 1, LIMIT).check(bug.config());
    TlcRunner.Violated violated =
        assertInstanceOf(TlcRunner.Violated.class, verdict, bug + ": " + verdict);
    assertEquals(bug.violation(), violated.property());
    System.out.printf(
        "model: %s caught after %,d distinct states: %s%n",
        bug, violated.states(), violated.property());
  }
}
