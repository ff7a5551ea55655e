package keyfleet.rollout.controller;

import static keyfleet.rollout.controller.ControllerFixtures.observed;
import static keyfleet.rollout.controller.ControllerFixtures.report;
import static keyfleet.rollout.controller.ControllerFixtures.rolling;
import static keyfleet.rollout.controller.ControllerFixtures.spec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Optional;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// When failed nodes are too many (R14).
final class FailureLimitTest {
  private static FailureLimit limit(String text) {
    return text.equals("-") ? new FailureLimit.Unlimited() : FailureLimit.parse(text).orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "5", "999999999", "1%", "100%"})
  void numberOrPercent_isParsed(String text) {
    assertEquals(text, limit(text).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "0%", "101%", "-1", "05", "5 %", "%", "1.5%", "1000000000", "x"})
  void otherText_isNoLimit(String text) {
    assertEquals(Optional.empty(), FailureLimit.parse(text));
  }

  @ParameterizedTest
  @CsvSource({
    "2, 1, 1, false",
    "2, 2, 9, true",
    "5%, 0, 0, false",
    "5%, 1, 1, true",
    "5%, 1, 20, true",
    "5%, 1, 21, false",
    "5%, 5, 100, true",
    "5%, 4, 100, false",
    "100%, 1, 2, false",
    "100%, 2, 2, true",
    "-, 9, 9, false"
  })
  void limit_isReached(String text, long failed, long attempted, boolean reached) {
    assertEquals(reached, limit(text).isReached(new FailureCount(failed, attempted)));
  }

  /// Two batches of four; the first passes without the nodes that failed.
  @ParameterizedTest
  @CsvSource({
    "50%, -, a b c, Aborting", // three of four are more than half
    "50%, -, a, Rolling",
    "50%, -, a e f, Rolling", // three of the eight that were started
    "30%, -, a e f, Aborting",
    "9, 2, a e, Rolling", // one per batch
    "9, 2, e f, Aborting",
    "9, 50%, a e, Rolling",
    "9, 50%, e f, Aborting",
    "2, -, a e, Aborting"
  })
  void failedNodes_countForTheRolloutAndTheirBatch(
      String whole, String batch, String bad, String state) {
    RolloutLimits limits = new RolloutLimits(4, limit(whole), limit(batch), 0, 2);
    Rollout rollout = rolling(spec("| a b c d | e f g h", "", limits));
    for (String nodes : new String[] {"a b c d", "e f g h"}) {
      rollout = Rollout.next(rollout, observed("a b c d e f g h"), ControllerFixtures.START);
      for (String node : nodes.split(" ", -1)) {
        boolean failed = Arrays.asList(bad.split(" ", -1)).contains(node);
        NodeReport report =
            failed
                ? report(node, 1, NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY, 1)
                : report(node, 1, NodePhase.STAGED, RollbackReason.NONE, 1);
        rollout =
            Rollout.next(rollout, observed("a b c d e f g h", report), ControllerFixtures.START);
      }
      if (nodes.startsWith("a")) {
        rollout = confirmFirstBatch(rollout, bad);
      }
    }
    assertEquals(state, rollout.getClass().getSimpleName());
  }

  /// Confirms the rest of the first batch, and lets its pause pass.
  private static Rollout confirmFirstBatch(Rollout rollout, String bad) {
    Rollout next = rollout;
    for (String node : "a b c d".split(" ", -1)) {
      if (!bad.contains(node)) {
        NodeReport report = report(node, 1, NodePhase.CONFIRMED, RollbackReason.NONE, 1);
        next = Rollout.next(next, observed("a b c d e f g h", report), ControllerFixtures.START);
      }
    }
    return Rollout.next(
        next,
        observed("a b c d e f g h"),
        ControllerFixtures.START.plus(ControllerFixtures.TIMINGS.batchPause()));
  }

  @Test
  void missingLimit_isRejected() {
    FailureLimit none = new FailureLimit.Unlimited();
    assertThrows(IllegalArgumentException.class, () -> new RolloutLimits(1, none, none, 0, 1));
    assertThrows(IllegalArgumentException.class, () -> new FailureLimit.Nodes(0));
    assertThrows(IllegalArgumentException.class, () -> new FailureLimit.Percent(101));
  }
}
