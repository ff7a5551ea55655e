package keyfleet.sim;

import static keyfleet.sim.Fixtures.rotateAndAbort;
import static keyfleet.sim.Fixtures.world;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import keyfleet.sim.Fixtures.Size;
import keyfleet.sim.Fixtures.Trouble;
import keyfleet.store.Fence;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The models of `spec/`: what they promise holds, what is bent is caught, and the model of a
/// rotation is the system that the explorer runs.
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
