package keyfleet.watchdog;

import static keyfleet.watchdog.WatchdogHarness.NEW;
import static keyfleet.watchdog.WatchdogHarness.OLD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.node.ProbeResult;
import keyfleet.rollout.node.ProbeResult.State;
import keyfleet.rollout.release.ReleaseVerdict.TooFewSignatures;
import keyfleet.rollout.release.ReleaseVerdict.Unacceptable;
import keyfleet.watchdog.FakeJournalStore.Unsynced;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A crash right before and right after every effect, each in a run of its own: all runs end in the
/// same state (P8, R22), and the release is swapped in once (I2).
class WatchdogCrashTest {
  /// Far more than any scenario has, so that a scenario that never ends fails.
  private static final int MAX_POINTS = 2_000;

  interface Scenario {
    void run(WatchdogHarness harness);
  }

  enum End {
    CONFIRMED(NodePhase.CONFIRMED, RollbackReason.NONE),
    UNHEALTHY(NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY),
    UNCONFIRMED(NodePhase.ROLLED_BACK, RollbackReason.UNCONFIRMED),
    ORDERED(NodePhase.ROLLED_BACK, RollbackReason.ORDERED),
    REVERTED(NodePhase.REVERTED, RollbackReason.ORDERED);

    private final NodePhase phase;
    private final RollbackReason rollbackReason;

    End(NodePhase phase, RollbackReason rollbackReason) {
      this.phase = phase;
      this.rollbackReason = rollbackReason;
    }

    void check(WatchdogHarness harness, String where) {
      List<Sha256> history =
          phase == NodePhase.CONFIRMED ? List.of(OLD, NEW) : List.of(OLD, NEW, OLD);
      NodeReport report = harness.report().orElseThrow();
      assertEquals(phase, report.phase(), where);
      assertEquals(rollbackReason, report.rollbackReason(), where);
      assertEquals(history, harness.slots.activationHistory(), where);
      assertEquals(history.getLast(), report.running(), where);
      assertTrue(
          harness.slots.installed().containsAll(List.of(OLD, harness.slots.running())), where);
    }

    Scenario scenario() {
      return switch (this) {
        case CONFIRMED -> WatchdogHarness::driveToTheEnd;
        case UNHEALTHY ->
            harness -> {
              harness.probe.setResult(NEW, new ProbeResult(State.NOT_READY, 0));
              harness.driveToTheEnd();
            };
        case UNCONFIRMED ->
            harness -> {
              harness.drive(Goal.STAGED, NodePhase.STAGED);
              harness.drive(Goal.APPLIED, NodePhase.ROLLED_BACK);
            };
        case ORDERED ->
            harness -> {
              harness.drive(Goal.STAGED, NodePhase.STAGED);
              harness.drive(Goal.APPLIED, NodePhase.SOAKING);
              harness.order(Goal.ROLLED_BACK, new DriverClaim(2, "b"));
              harness.runFor(Duration.ofSeconds(40));
            };
        case REVERTED ->
            harness -> {
              harness.driveToTheEnd();
              harness.order(Goal.REVERTED, new DriverClaim(2, "b"));
              harness.runFor(Duration.ofSeconds(40));
            };
      };
    }
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void crashAnywhereLosingTheUnsyncedEntry_endsInTheSameState(End end) {
    crashEverywhere(end, Unsynced.LOST, Duration.ZERO);
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void crashAnywhereKeepingTheUnsyncedEntry_endsInTheSameState(End end) {
    crashEverywhere(end, Unsynced.KEPT, Duration.ZERO);
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void rebootAnywhere_endsInTheSameState(End end) {
    crashEverywhere(end, Unsynced.LOST, Duration.ofSeconds(20));
  }

  /// I4: no more orders arrive, so only the journal knows the deadline.
  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void crashAnywhereThenCutOff_rollsBackByTheDeadline(Unsynced unsynced) {
    for (int point = 0; ; point++) {
      WatchdogHarness harness = new WatchdogHarness();
      harness.crashes.crashAfter(point);
      try {
        End.UNCONFIRMED.scenario().run(harness);
        return;
      } catch (InjectedCrash crash) {
        harness.journal.crash(unsynced);
        harness.restart();
        harness.kv.disconnect();
        harness.runFor(WatchdogHarness.DEADLINE.plusSeconds(2));
        assertEquals(OLD, harness.slots.running(), "point " + point + ", " + crash.getMessage());
      }
    }
  }

  /// A running release is not checked again: an expiry blocks only new updates.
  @Test
  void crashRightAfterTheSwap_continuesAlthoughTheReleaseHasExpired() {
    WatchdogHarness harness = new WatchdogHarness();
    harness.drive(Goal.STAGED, NodePhase.STAGED);
    harness.order(Goal.APPLIED);
    harness.tick();
    assertEquals(NodePhase.APPLYING, harness.phase());
    harness.slots.activate(NEW);
    harness.restart();
    harness.fetcher.setVerdict(NEW, new Unacceptable(List.of(new TooFewSignatures(0, 1))));
    harness.tick();
    assertEquals(NodePhase.SOAKING, harness.phase());
  }

  @Test
  void runWithoutACrash_ends() {
    for (End end : End.values()) {
      WatchdogHarness harness = new WatchdogHarness();
      end.scenario().run(harness);
      end.check(harness, end.name());
    }
  }

  private static void crashEverywhere(End end, Unsynced unsynced, Duration boot) {
    int point = 0;
    while (crashOnce(end, unsynced, boot, point)) {
      point++;
      assertTrue(point < MAX_POINTS, "still crashing after " + point + " points");
    }
    assertTrue(point > 60, "only " + point + " points");
  }

  /// Whether the scenario was long enough to reach that point.
  private static boolean crashOnce(End end, Unsynced unsynced, Duration boot, int point) {
    WatchdogHarness harness = new WatchdogHarness();
    harness.crashes.crashAfter(point);
    String where = end + ", no crash";
    try {
      end.scenario().run(harness);
    } catch (InjectedCrash crash) {
      where = end + ", point " + point + ", " + crash.getMessage();
      harness.journal.crash(unsynced);
      if (boot.isZero()) {
        harness.restart();
      } else {
        harness.reboot(boot);
      }
      end.scenario().run(harness);
    }
    end.check(harness, where);
    return harness.crashes.hasCrashed();
  }
}
