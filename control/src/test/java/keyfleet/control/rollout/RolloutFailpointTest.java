package keyfleet.control.rollout;

import static keyfleet.control.rollout.RolloutTestFleet.spec;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.rollout.controller.RolloutLimits;
import keyfleet.rollout.controller.RolloutSpec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A driver crashes or pauses before or after each of its effects. Its decisions are stored before
/// a node learns of them (R11).
class RolloutFailpointTest {
  /// Late nodes get the release as well.
  private static final RolloutSpec SPEC =
      spec("r1", "*", "a", "b c", new RolloutLimits(2, 1, 0, 1));

  private static final Set<Failpoint> ROLLOUT_POINTS =
      EnumSet.range(Failpoint.ROLLOUT_READ, Failpoint.DESIRED_WRITE);

  private final RolloutTestFleet fleet = new RolloutTestFleet("a b c d");

  /// Where a process crashes: at the nth call of a failpoint, before or after the effect.
  record Crash(Failpoint point, Side side, int call) {
    enum Side {
      BEFORE,
      AFTER
    }
  }

  private static final class Crashed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /// Crashes a process once; after that it has no effect.
  private static final class CrashOnce implements Failpoints {
    private final Crash crash;
    private int calls;
    private boolean crashed;

    CrashOnce(Crash crash) {
      this.crash = crash;
    }

    @Override
    public <T> T at(Failpoint point, Supplier<T> effect) {
      boolean now = point == crash.point() && ++calls == crash.call();
      if (crashed || (now && crash.side() == Crash.Side.BEFORE)) {
        crash();
      }
      T result = effect.get();
      if (now) {
        crash();
      }
      return result;
    }

    private void crash() {
      crashed = true;
      throw new Crashed();
    }
  }

  static Stream<Crash> crashes() {
    return ROLLOUT_POINTS.stream()
        .flatMap(point ->
            Stream.of(Crash.Side.values())
                .flatMap(side -> Stream.of(1, 2, 3, 5, 8).map(it -> new Crash(point, side, it))));
  }

  /// P6, I1, I2.
  @ParameterizedTest
  @MethodSource("crashes")
  void crashAtAnyEffect_failsNoNodeAndAnotherDriverFinishes(Crash crash) {
    CrashOnce crashOnce = new CrashOnce(crash);
    try {
      fleet.operations(crashOnce).start(SPEC);
      RolloutLoop first = fleet.driver("first", crashOnce);
      for (int i = 0; i < 12; i++) {
        fleet.step(first);
      }
      first.release();
      fleet.step(first);
      fleet.run("r1", first);
    } catch (Crashed e) {
      assertInstanceOf(
          RolloutOperationResult.Done.class, fleet.operations(Failpoints.NONE).start(SPEC));
    }
    assertTrue(crashOnce.crashed || crash.call() > 1, "the failpoint was reached at least once");
    fleet.run("r1", fleet.driver("second", Failpoints.NONE));
    fleet.assertCompleted("r1");
  }

  /// Pauses a process once, and runs `meanwhile` in the pause.
  private static final class PauseOnce implements Failpoints {
    private final Crash pause;
    private final Runnable meanwhile;
    private int calls;

    PauseOnce(Crash pause, Runnable meanwhile) {
      this.pause = pause;
      this.meanwhile = meanwhile;
    }

    @Override
    public <T> T at(Failpoint point, Supplier<T> effect) {
      boolean now = point == pause.point() && ++calls == pause.call();
      if (now && pause.side() == Crash.Side.BEFORE) {
        meanwhile.run();
      }
      T result = effect.get();
      if (now && pause.side() == Crash.Side.AFTER) {
        meanwhile.run();
      }
      return result;
    }
  }

  /// P9, H5: a driver that resumes after a pause changes nothing of its successor.
  @ParameterizedTest
  @MethodSource("crashes")
  void pauseAtAnyEffect_failsNoNodeAndTheSuccessorKeepsItsClaim(Crash pause) {
    fleet.operations(Failpoints.NONE).start(SPEC);
    RolloutLoop second = fleet.driver("second", Failpoints.NONE);
    Runnable meanwhile =
        () -> {
          for (int i = 0; i < 16; i++) {
            fleet.step(second);
          }
        };
    RolloutLoop first = fleet.driver("first", new PauseOnce(pause, meanwhile));
    fleet.run("r1", first, second);
    fleet.assertCompleted("r1");
  }
}
