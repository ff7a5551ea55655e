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
  /// Far more than any scenario has, so that an endless one is noticed.
  private static final int MOST_POINTS = 2_000;

  interface Life {
    void live(WatchdogHarness rig);
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

    void check(WatchdogHarness rig, String where) {
      List<Sha256> history =
          phase == NodePhase.CONFIRMED ? List.of(OLD, NEW) : List.of(OLD, NEW, OLD);
      NodeReport report = rig.report().orElseThrow();
      assertEquals(phase, report.phase(), where);
      assertEquals(rollbackReason, report.rollbackReason(), where);
      assertEquals(history, rig.slots.history(), where);
      assertEquals(history.getLast(), report.running(), where);
      assertTrue(rig.slots.held().containsAll(List.of(OLD, rig.slots.running())), where);
    }

    Life life() {
      return switch (this) {
        case CONFIRMED -> WatchdogHarness::driveToTheEnd;
        case UNHEALTHY ->
            rig -> {
              rig.probe.show(NEW, new ProbeResult(State.NOT_READY, 0));
              rig.driveToTheEnd();
            };
        case UNCONFIRMED ->
            rig -> {
              rig.drive(Goal.STAGED, NodePhase.STAGED);
              rig.drive(Goal.APPLIED, NodePhase.ROLLED_BACK);
            };
        case ORDERED ->
            rig -> {
              rig.drive(Goal.STAGED, NodePhase.STAGED);
              rig.drive(Goal.APPLIED, NodePhase.SOAKING);
              rig.order(Goal.ROLLED_BACK, new DriverClaim(2, "b"));
              rig.pass(Duration.ofSeconds(40));
            };
        case REVERTED ->
            rig -> {
              rig.driveToTheEnd();
              rig.order(Goal.REVERTED, new DriverClaim(2, "b"));
              rig.pass(Duration.ofSeconds(40));
            };
      };
    }
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void crashAnywhereUnsyncedLost_endsInTheSamePlace(End end) {
    everywhere(end, Unsynced.LOST, Duration.ZERO);
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void crashAnywhereUnsyncedKept_endsInTheSamePlace(End end) {
    everywhere(end, Unsynced.KEPT, Duration.ZERO);
  }

  @ParameterizedTest
  @EnumSource(End.class)
  void bootAnywhere_endsInTheSamePlace(End end) {
    everywhere(end, Unsynced.LOST, Duration.ofSeconds(20));
  }

  /// I4: no more orders arrive, so only the journal knows the deadline.
  @ParameterizedTest
  @EnumSource(Unsynced.class)
  void crashAnywhereThenCutOff_isBackByTheDeadline(Unsynced fate) {
    for (int point = 0; ; point++) {
      WatchdogHarness rig = new WatchdogHarness();
      rig.fuse.blowAfter(point);
      try {
        End.UNCONFIRMED.life().live(rig);
        return;
      } catch (InjectedCrash crash) {
        rig.journal.crashed(fate);
        rig.restart();
        rig.kv.cut();
        rig.pass(WatchdogHarness.DEADLINE.plusSeconds(2));
        assertEquals(OLD, rig.slots.running(), "point " + point + ", " + crash.getMessage());
      }
    }
  }

  /// A running release is not checked again: an expiry blocks only new updates.
  @Test
  void crashRightAfterTheSwap_goesOnAlthoughTheReleaseHasExpired() {
    WatchdogHarness rig = new WatchdogHarness();
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    rig.order(Goal.APPLIED);
    rig.tick();
    assertEquals(NodePhase.APPLYING, rig.nodePhase());
    rig.slots.run(NEW);
    rig.restart();
    rig.artifacts.judge(NEW, new Unacceptable(List.of(new TooFewSignatures(0, 1))));
    rig.tick();
    assertEquals(NodePhase.SOAKING, rig.nodePhase());
  }

  @Test
  void lifeWithoutACrash_ends() {
    for (End end : End.values()) {
      WatchdogHarness rig = new WatchdogHarness();
      end.life().live(rig);
      end.check(rig, end.name());
    }
  }

  private static void everywhere(End end, Unsynced fate, Duration boot) {
    int point = 0;
    while (once(end, fate, boot, point)) {
      point++;
      assertTrue(point < MOST_POINTS, "still crashing after " + point + " points");
    }
    assertTrue(point > 60, "only " + point + " points");
  }

  /// Whether the scenario was long enough to reach that point.
  private static boolean once(End end, Unsynced fate, Duration boot, int point) {
    WatchdogHarness rig = new WatchdogHarness();
    rig.fuse.blowAfter(point);
    String where = end + ", no crash";
    try {
      end.life().live(rig);
    } catch (InjectedCrash crash) {
      where = end + ", point " + point + ", " + crash.getMessage();
      rig.journal.crashed(fate);
      if (boot.isZero()) {
        rig.restart();
      } else {
        rig.reboot(boot);
      }
      end.life().live(rig);
    }
    end.check(rig, where);
    return rig.fuse.isBlown();
  }
}
