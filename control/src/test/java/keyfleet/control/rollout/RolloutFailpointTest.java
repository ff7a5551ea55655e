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

/// A driver that dies, or sleeps, before or after any of its effects: what it had decided stood
/// before anybody was told (R11).
class RolloutFailpointTest {
  /// Whoever comes late gets the release, too.
  private static final RolloutSpec SPEC =
      spec("r1", "*", "a", "b c", new RolloutLimits(2, 1, 0, 1));

  private static final Set<Failpoint> ROLLOUT_POINTS =
      EnumSet.range(Failpoint.ROLLOUT_READ, Failpoint.DESIRED_WRITE);

  private final RolloutTestFleet fleet = new RolloutTestFleet("a b c d");

  /// Where a process dies: at the nth passing of a point, with the effect done or not.
  record Crash(Failpoint point, Side side, int passing) {
    enum Side {
      BEFORE,
      AFTER
    }
  }

  private static final class Crashed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /// A process that dies once, and does nothing from then on.
  private static final class CrashOnce implements Failpoints {
    private final Crash death;
    private int passings;
    private boolean dead;

    CrashOnce(Crash crash) {
      this.death = crash;
    }

    @Override
    public <T> T at(Failpoint point, Supplier<T> effect) {
      boolean now = point == death.point() && ++passings == death.passing();
      if (dead || (now && death.side() == Crash.Side.BEFORE)) {
        die();
      }
      T result = effect.get();
      if (now) {
        die();
      }
      return result;
    }

    private void die() {
      dead = true;
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
  @MethodSource("deaths")
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
    assertTrue(crashOnce.dead || crash.passing() > 1, "it passed there at least once");
    fleet.run("r1", fleet.driver("second", Failpoints.NONE));
    fleet.assertCompleted("r1");
  }

  /// A process that falls asleep once, while the world goes on.
  private static final class PauseOnce implements Failpoints {
    private final Crash pause;
    private final Runnable meanwhile;
    private int passings;

    PauseOnce(Crash pause, Runnable meanwhile) {
      this.pause = pause;
      this.meanwhile = meanwhile;
    }

    @Override
    public <T> T at(Failpoint point, Supplier<T> effect) {
      boolean now = point == pause.point() && ++passings == pause.passing();
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

  /// P9, H5: a driver that wakes up in the middle of anything changes nothing of its follower's.
  @ParameterizedTest
  @MethodSource("deaths")
  void pauseAtAnyEffect_failsNoNodeAndTheSuccessorKeepsTheLead(Crash pause) {
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
