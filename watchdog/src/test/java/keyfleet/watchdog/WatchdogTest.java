package keyfleet.watchdog;

import static keyfleet.watchdog.WatchdogHarness.NEW;
import static keyfleet.watchdog.WatchdogHarness.OLD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.node.ProbeResult;
import keyfleet.rollout.node.ProbeResult.State;
import keyfleet.rollout.release.ReleaseVerdict.TooFewSignatures;
import keyfleet.rollout.release.ReleaseVerdict.Unacceptable;
import keyfleet.store.UnreliableKv.Fault;
import keyfleet.store.Value;
import keyfleet.wire.RolloutKeys;
import org.junit.jupiter.api.Test;

class WatchdogTest {
  private static final ProbeResult DOWN = new ProbeResult(State.NOT_READY, 0);
  private static final Unacceptable UNSIGNED =
      new Unacceptable(List.of(new TooFewSignatures(0, 1)));

  private final WatchdogHarness rig = new WatchdogHarness();

  private void assertBack(RollbackReason rollbackReason) {
    NodeReport report = rig.report().orElseThrow();
    assertEquals(NodePhase.ROLLED_BACK, report.phase());
    assertEquals(rollbackReason, report.rollbackReason());
    assertEquals(OLD, rig.slots.running());
    assertEquals(OLD, report.running());
  }

  private void soaked() {
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    rig.drive(Goal.APPLIED, NodePhase.SOAKED);
  }

  private void soaking() {
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    rig.drive(Goal.APPLIED, NodePhase.SOAKING);
  }

  @Test
  void goodRelease_isStagedAppliedSoakedConfirmed() {
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    assertEquals(OLD, rig.slots.running());
    rig.drive(Goal.APPLIED, NodePhase.SOAKED);
    assertEquals(List.of(OLD, NEW), rig.slots.history());
    rig.drive(Goal.CONFIRMED, NodePhase.CONFIRMED);
    rig.pass(Duration.ofHours(1));
    assertEquals(NodePhase.CONFIRMED, rig.nodePhase());
    assertEquals(List.of(OLD, NEW), rig.slots.history());
    assertEquals(Set.of(OLD, NEW), rig.slots.held());
  }

  @Test
  void confirmBeforeTheSoak_isNotTaken() {
    soaking();
    rig.order(Goal.CONFIRMED);
    rig.pass(Duration.ofSeconds(50));
    assertEquals(NodePhase.SOAKING, rig.nodePhase());
    rig.pass(Duration.ofSeconds(30));
    assertEquals(NodePhase.CONFIRMED, rig.nodePhase());
  }

  @Test
  void badRelease_goesBackByItself() {
    rig.probe.show(NEW, DOWN);
    soaking();
    rig.pass(Duration.ofMinutes(1));
    assertBack(RollbackReason.UNHEALTHY);
    rig.pass(Duration.ofMinutes(1));
    assertEquals(Set.of(OLD), rig.slots.held());
    assertEquals(List.of(OLD, NEW, OLD), rig.slots.history());
  }

  @Test
  void releaseThatGoesBadAfterItsSoak_goesBackBeforeTheConfirm() {
    soaked();
    rig.probe.show(NEW, DOWN);
    rig.pass(Duration.ofMinutes(1));
    assertBack(RollbackReason.UNHEALTHY);
  }

  @Test
  void crashLoop_isSeenBetweenReadyLooks() {
    soaking();
    for (int restarts = 1; restarts <= 4; restarts++) {
      rig.probe.show(NEW, new ProbeResult(State.READY, restarts));
      rig.pass(Duration.ofSeconds(10));
    }
    rig.pass(Duration.ofSeconds(2));
    assertBack(RollbackReason.UNHEALTHY);
  }

  /// I9, R21.
  @Test
  void refusedRelease_neverRuns() {
    rig.artifacts.judge(NEW, UNSIGNED);
    rig.drive(Goal.STAGED, NodePhase.ROLLED_BACK);
    rig.order(Goal.APPLIED);
    rig.pass(Duration.ofMinutes(1));
    assertBack(RollbackReason.REFUSED);
    assertEquals(List.of(OLD), rig.slots.history());
  }

  @Test
  void releaseThatExpiresWhileStaged_neverRuns() {
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    rig.artifacts.judge(NEW, UNSIGNED);
    rig.drive(Goal.APPLIED, NodePhase.ROLLED_BACK);
    assertBack(RollbackReason.REFUSED);
    assertEquals(List.of(OLD), rig.slots.history());
  }

  @Test
  void artifactThatCannotBeHad_saysNothingAgainstTheRelease() {
    rig.artifacts.answer(NEW, new FetchStatus.InProgress());
    rig.drive(Goal.STAGED, NodePhase.PREPARING);
    rig.pass(Duration.ofMinutes(3));
    assertEquals(NodePhase.PREPARING, rig.nodePhase());
    rig.artifacts.answer(NEW, new FetchStatus.Failed("no route"));
    rig.pass(Duration.ofSeconds(5));
    assertBack(RollbackReason.INFRASTRUCTURE);
    assertEquals(List.of("no route"), rig.report().orElseThrow().reasons());
    rig.artifacts.recover(NEW);
    rig.order(new DesiredState(WatchdogHarness.task(2), Goal.STAGED, new DriverClaim(1, "a"), 9));
    rig.pass(Duration.ofSeconds(31));
    assertEquals(NodePhase.STAGED, rig.nodePhase());
  }

  /// I4, P8.
  @Test
  void nodeWithoutAConfirm_isBackByTheDeadline() {
    soaked();
    rig.pass(Duration.ofSeconds(200));
    assertEquals(NEW, rig.slots.running());
    rig.pass(Duration.ofSeconds(60));
    assertBack(RollbackReason.UNCONFIRMED);
  }

  @Test
  void diskThatIsFull_doesNotKeepAnUnconfirmedRelease() {
    soaked();
    rig.journal.fill();
    rig.host.advance(WatchdogHarness.DEADLINE);
    assertThrows(LocalFailureException.class, rig::tick);
    assertEquals(OLD, rig.slots.running());
    rig.restart();
    assertThrows(LocalFailureException.class, rig::tick);
    assertEquals(List.of(OLD, NEW, OLD), rig.slots.history());
  }

  @Test
  void deadline_goesOnOverRestarts() {
    soaking();
    for (int i = 0; i < 14; i++) {
      rig.pass(Duration.ofSeconds(20));
      rig.restart();
    }
    assertEquals(NEW, rig.slots.running());
    rig.pass(Duration.ofSeconds(25));
    assertBack(RollbackReason.UNCONFIRMED);
  }

  @Test
  void deadlineThatPassedWhileTheMachineWasOff_isKeptAtTheFirstTick() {
    soaked();
    rig.reboot(Duration.ofHours(3));
    rig.tick();
    assertBack(RollbackReason.UNCONFIRMED);
  }

  @Test
  void machineThatBootsAgainAndAgainWithAWrongClock_goesBackAllTheSame() {
    soaking();
    for (int i = 0; i < 20; i++) {
      rig.pass(Duration.ofSeconds(40));
      rig.reboot(Duration.ofSeconds(10));
      rig.host.setWall(Instant.EPOCH);
      rig.tick();
    }
    assertBack(RollbackReason.UNCONFIRMED);
  }

  /// R10.
  @Test
  void nodeThatIsCutOff_freezesItsSoakAndKeepsItsDeadline() {
    soaking();
    rig.kv.cut();
    rig.probe.show(NEW, DOWN);
    rig.pass(Duration.ofMinutes(3));
    rig.probe.show(NEW, new ProbeResult(State.READY, 0));
    rig.kv.mend();
    rig.pass(Duration.ofSeconds(20));
    assertEquals(NodePhase.SOAKING, rig.nodePhase());
    rig.kv.cut();
    rig.pass(Duration.ofMinutes(2));
    assertEquals(OLD, rig.slots.running());
    rig.kv.mend();
    rig.pass(Duration.ofSeconds(31));
    assertBack(RollbackReason.UNCONFIRMED);
  }

  @Test
  void nodeThatIsCutOff_asksForTicksNowAndThenNotAtOnce() {
    assertEquals(rig.host.clockReading().elapsed(), rig.wakeAt());
    rig.tick();
    rig.kv.cut();
    rig.host.advance(Duration.ofMinutes(1));
    rig.tick();
    long soon = Duration.ofSeconds(1).toNanos();
    assertEquals(rig.host.clockReading().elapsed() + soon, rig.wakeAt());
  }

  @Test
  void shortCutOff_costsNothing() {
    soaking();
    rig.kv.cut();
    rig.pass(Duration.ofMinutes(1));
    rig.kv.mend();
    rig.driveToTheEnd();
    assertEquals(NodePhase.CONFIRMED, rig.nodePhase());
  }

  /// R2, P9.
  @Test
  void supersededDriver_isNotObeyed() {
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    rig.order(Goal.STAGED, new DriverClaim(2, "b"));
    rig.tick();
    assertEquals(new DriverClaim(2, "b"), rig.report().orElseThrow().claim());
    for (DriverClaim stale : List.of(new DriverClaim(1, "a"), new DriverClaim(2, "other"))) {
      rig.order(Goal.APPLIED, stale);
      rig.pass(Duration.ofMinutes(1));
      assertEquals(NodePhase.STAGED, rig.nodePhase());
    }
    assertEquals(List.of(OLD), rig.slots.history());
  }

  /// I3, R18.
  @Test
  void abort_isAcknowledgedAndHoldsForEver() {
    soaking();
    rig.order(Goal.ROLLED_BACK, new DriverClaim(2, "b"));
    rig.pass(Duration.ofSeconds(31));
    assertBack(RollbackReason.ORDERED);
    assertEquals(new DriverClaim(2, "b"), rig.report().orElseThrow().claim());
    rig.order(new DesiredState(WatchdogHarness.task(2), Goal.APPLIED, new DriverClaim(3, "c"), 1));
    rig.pass(Duration.ofMinutes(1));
    assertBack(RollbackReason.ORDERED);
    assertEquals(List.of(OLD, NEW, OLD), rig.slots.history());
  }

  @Test
  void confirmedNode_keepsTheReleaseOnAbortAndGivesItUpOnRevert() {
    soaked();
    rig.drive(Goal.CONFIRMED, NodePhase.CONFIRMED);
    rig.order(Goal.ROLLED_BACK, new DriverClaim(2, "b"));
    rig.tick();
    assertEquals(new DriverClaim(2, "b"), rig.report().orElseThrow().claim());
    assertEquals(NEW, rig.slots.running());
    rig.order(Goal.REVERTED, new DriverClaim(3, "c"));
    rig.pass(Duration.ofSeconds(31));
    assertEquals(NodePhase.REVERTED, rig.nodePhase());
    assertEquals(OLD, rig.slots.running());
  }

  /// I1, I2: any number of drivers may repeat and shuffle the orders.
  @Test
  void ordersDoubledAndShuffled_endInOneSwapAndNoFailure() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      WatchdogHarness shuffled = new WatchdogHarness();
      List<Goal> goals = List.of(Goal.STAGED, Goal.APPLIED, Goal.CONFIRMED);
      for (int i = 0; i < 400; i++) {
        DriverClaim lead = new DriverClaim(1 + i / 50 - random.nextInt(2) * (i / 50), "n");
        shuffled.order(goals.get(random.nextInt(3)), lead);
        shuffled.tick();
        shuffled.pass(Duration.ofSeconds(1));
      }
      assertEquals(NodePhase.CONFIRMED, shuffled.nodePhase(), "seed " + seed);
      assertEquals(List.of(OLD, NEW), shuffled.slots.history(), "seed " + seed);
    }
  }

  @Test
  void answersThatGetLost_changeNothingInTheEnd() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      Fault[] faults = Fault.values();
      WatchdogHarness unsure = new WatchdogHarness(() -> faults[random.nextInt(faults.length)]);
      unsure.driveToTheEnd();
      unsure.pass(Duration.ofMinutes(5));
      assertEquals(NodePhase.CONFIRMED, unsure.nodePhase(), "seed " + seed);
    }
  }

  @Test
  void reportThatGotLost_isSentAgainAtTheNextTick() {
    Iterator<Fault> faults = List.of(Fault.NONE, Fault.LOST).iterator();
    WatchdogHarness unsure =
        new WatchdogHarness(() -> faults.hasNext() ? faults.next() : Fault.NONE);
    unsure.artifacts.answer(NEW, new FetchStatus.InProgress());
    unsure.order(Goal.STAGED);
    unsure.tick();
    assertEquals(Optional.empty(), unsure.report());
    unsure.tick();
    assertEquals(NodePhase.PREPARING, unsure.nodePhase());
  }

  @Test
  void reportThatTheStoreLost_isBackWithTheNextBeat() {
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    var key = RolloutKeys.ofNode(WatchdogHarness.SELF.component(), WatchdogHarness.SELF.node());
    rig.store.delete(
        RolloutKeys.REPORTS, key, rig.store.get(RolloutKeys.REPORTS, key).orElseThrow().revision());
    rig.pass(Duration.ofSeconds(31));
    assertEquals(NodePhase.STAGED, rig.nodePhase());
  }

  @Test
  void beat_tellsOfTheNodeAndStopsWithIt() {
    rig.tick();
    assertEquals("idle", rig.beat().orElseThrow().text("state"));
    assertEquals(Optional.empty(), rig.report());
    soaking();
    rig.pass(Duration.ofSeconds(31));
    var beat = rig.beat().orElseThrow();
    assertEquals("soaking", beat.text("state"));
    assertEquals("11111111", beat.text("version"));
    assertEquals(1, beat.number("protocol"));
    assertEquals(0, beat.number("degraded"));
    rig.clock.advance(Duration.ofSeconds(89));
    assertTrue(rig.beat().isPresent());
    rig.clock.advance(Duration.ofSeconds(31));
    assertFalse(rig.beat().isPresent());
  }

  @Test
  void orderThatCannotBeRead_isNone() {
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    rig.store.put(
        RolloutKeys.ROLLOUTS,
        RolloutKeys.desired(WatchdogHarness.SELF.component(), WatchdogHarness.SELF.node()),
        Value.of("{\"goal\":\"applied\"}"));
    rig.pass(Duration.ofMinutes(2));
    assertEquals(NodePhase.STAGED, rig.nodePhase());
  }

  @Test
  void quietSoak_isWrittenDownRarely() {
    soaking();
    int before = rig.journal.saves();
    rig.pass(Duration.ofSeconds(55));
    assertTrue(rig.journal.saves() - before <= 2, "saves: " + (rig.journal.saves() - before));
  }
}
