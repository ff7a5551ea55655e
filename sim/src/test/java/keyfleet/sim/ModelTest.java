package keyfleet.sim;

import static keyfleet.sim.Fixtures.rollout;
import static keyfleet.sim.Fixtures.rotateAndAbort;
import static keyfleet.sim.Fixtures.world;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import keyfleet.rollout.DesiredState;
import keyfleet.sim.Fixtures.Size;
import keyfleet.sim.Fixtures.Trouble;
import keyfleet.sim.Fixtures.Voyage;
import keyfleet.store.Fence;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The models of `spec/`: what they promise holds, what is bent is caught, and two of them have the
/// states that the explorer finds in the classes themselves.
class ModelTest {
  private static final Duration LIMIT = Duration.ofMinutes(8);
  private static final Duration SOAK_LIMIT = Duration.ofHours(6);
  private static final int EXPLORER_LIMIT = 1_000_000;

  private static final Size SMALL = new Size(1, 2, 1, 2).with(Trouble.GIVEN_UP_WORKER);
  private static final Size JOINING = new Size(1, 1, 2, 1).with(Trouble.LATE_WRITER);

  /// True, on machines whose clocks do not count the time that they sleep.
  private static final Laws SUSPENDED =
      new Laws() {
        @Override
        public Clock sleepersClock() {
          return Clock.STANDS_STILL;
        }
      };

  /// A store that takes no second fence in one epoch. It breaks no promise: nothing is ever opened.
  private static final Laws STUBBORN =
      new Laws() {
        @Override
        public boolean takes(Fence present, Fence offered) {
          return offered.term().compareTo(present.term()) > 0;
        }
      };

  /// A store that keeps an order under the lead that first gave it. It breaks no promise, but a
  /// node then does not hear of a new driver that wants the same.
  private static final RolloutLaws CONTENT =
      new RolloutLaws() {
        @Override
        public boolean replaces(DesiredState next, DesiredState present) {
          boolean news = next.goal() != present.goal() || !next.task().equals(present.task());
          return news && next.canReplace(present);
        }
      };

  @TempDir private Path folder;

  private long holds(ModelConfig config, Tlc tlc) throws IOException, InterruptedException {
    Tlc.Verdict verdict = tlc.check(config);
    Tlc.Holds holds = assertInstanceOf(Tlc.Holds.class, verdict, verdict.toString());
    System.out.printf(
        "model: %s, %s.cfg: %,d distinct states, %s%n",
        config.module(), config.name(), holds.states(), config.promises());
    Recorded.explored("model " + config.name() + ", " + config.promises(), holds.states());
    return holds.states();
  }

  private long holds(String name) throws IOException, InterruptedException {
    return holds(ModelConfig.read(name), new Tlc(folder, 1, LIMIT));
  }

  private static long explored(Size size, Laws laws) {
    Explorer.Outcome outcome =
        new Explorer<RotationWorld>(EXPLORER_LIMIT).explore(world(size, rotateAndAbort(), laws));
    return assertInstanceOf(Explorer.Holds.class, outcome, outcome.toString()).states();
  }

  /// A change of either side that the other does not follow shows in the number.
  @Test
  void rotation_keepsItsPromises_andIsWhatTheExplorerRuns()
      throws IOException, InterruptedException {
    long states = holds("Rotation");
    assertEquals(states, explored(SMALL, SUSPENDED));
    assertNotEquals(states, explored(SMALL, Laws.TRUE));
  }

  @Test
  void rotationWithALateWriter_keepsItsPromises_andIsWhatTheExplorerRuns()
      throws IOException, InterruptedException {
    long states = holds("RotationJoin");
    assertEquals(states, explored(JOINING, Laws.TRUE));
    assertNotEquals(states, explored(JOINING, STUBBORN));
  }

  private static long explored(Voyage voyage, RolloutLaws laws) {
    Explorer.Outcome outcome =
        new Explorer<RolloutWorld>(EXPLORER_LIMIT).explore(rollout(voyage, laws));
    return assertInstanceOf(Explorer.Holds.class, outcome, outcome.toString()).states();
  }

  @ParameterizedTest
  @CsvSource({"RolloutSteps, 2, 0, 1, 1, 1, 0", "RolloutStepsBack, 1, 1, 0, 1, 0, 1"})
  void rollout_keepsItsPromises_andIsWhatTheExplorerRuns(
      String name,
      int batches,
      int offline,
      int unavailable,
      int troubles,
      int aborts,
      int rollbacks)
      throws IOException, InterruptedException {
    Voyage voyage = new Voyage(batches, offline, unavailable, troubles, aborts, rollbacks);
    long states = holds(name);
    assertTrue(states >= 10_000, () -> states + " states are too few");
    assertEquals(states, explored(voyage, RolloutLaws.TRUE));
    assertNotEquals(states, explored(voyage, CONTENT));
  }

  @ParameterizedTest
  @ValueSource(strings = {"RotationEnds", "Rollout", "RolloutEnds"})
  void model_keepsItsPromises(String name) throws IOException, InterruptedException {
    holds(name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"RotationSoak", "RolloutSoak"})
  @Tag("soak")
  void largeModel_keepsItsPromises(String name) throws IOException, InterruptedException {
    holds(ModelConfig.read(name), new Tlc(folder, 2, SOAK_LIMIT));
  }

  @ParameterizedTest
  @EnumSource
  void bentModel_isCaught(ModelBug bug) throws IOException, InterruptedException {
    Tlc.Verdict verdict = new Tlc(folder, 1, LIMIT).check(bug.config());
    Tlc.Broken broken = assertInstanceOf(Tlc.Broken.class, verdict, bug + ": " + verdict);
    assertEquals(bug.broken(), broken.promise());
    System.out.printf(
        "model: %s caught after %,d distinct states: %s%n", bug, broken.states(), broken.promise());
  }
}
