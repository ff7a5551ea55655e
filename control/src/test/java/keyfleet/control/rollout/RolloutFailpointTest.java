package keyfleet.control.rollout;

import static keyfleet.control.rollout.RolloutTestFleet.spec;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.stream.Stream;
import keyfleet.control.CrashAtFailpoint;
import keyfleet.control.CrashAtFailpoint.Crashed;
import keyfleet.control.Failpoint;
import keyfleet.control.PauseAtFailpoint;
import keyfleet.control.PauseAtFailpoint.Side;
import keyfleet.rollout.controller.RolloutLimits;
import keyfleet.rollout.controller.RolloutSpec;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// A driver crashes or pauses before or after each of its effects. Its decisions are stored before
/// a node learns of them (R11).
class RolloutFailpointTest {
  /// Late nodes get the release as well.
  private static final RolloutSpec SPEC =
      spec("r1", "*", "a", "b c", new RolloutLimits(2, 1, 0, 1));

  private final RolloutTestFleet fleet = new RolloutTestFleet("a b c d");

  static Stream<Arguments> points() {
    return EnumSet.range(Failpoint.ROLLOUT_READ, Failpoint.DESIRED_WRITE).stream()
        .flatMap(point ->
            Stream.of(Side.values())
                .flatMap(
                    side -> Stream.of(1, 2, 3, 5, 8).map(call -> Arguments.of(point, side, call))));
  }

  /// P6, I1, I2.
  @ParameterizedTest
  @MethodSource("points")
  void crashAtAnyEffect_failsNoNodeAndAnotherDriverFinishes(Failpoint point, Side side, int call) {
    CrashAtFailpoint crash = new CrashAtFailpoint(point, side, call);
    try {
      fleet.operations(crash).start(SPEC);
      RolloutLoop first = fleet.driver("first", crash);
      fleet.stepTimes(12, first);
      first.release();
      fleet.step(first);
      fleet.run("r1", first);
    } catch (Crashed e) {
      assertInstanceOf(RolloutOperationResult.Done.class, fleet.operations().start(SPEC));
    }
    assertTrue(crash.hasCrashed() || call > 1, "the failpoint was reached at least once");
    fleet.run("r1", fleet.driver("second"));
    fleet.assertCompleted("r1");
  }

  /// P9, H5: a driver that resumes after a pause changes nothing of its successor.
  @ParameterizedTest
  @MethodSource("points")
  void pauseAtAnyEffect_failsNoNodeAndTheSuccessorKeepsItsClaim(
      Failpoint point, Side side, int call) {
    fleet.operations().start(SPEC);
    RolloutLoop second = fleet.driver("second");
    Runnable meanwhile = () -> fleet.stepTimes(16, second);
    RolloutLoop first = fleet.driver("first", new PauseAtFailpoint(point, side, call, meanwhile));
    fleet.run("r1", first, second);
    fleet.assertCompleted("r1");
  }
}
