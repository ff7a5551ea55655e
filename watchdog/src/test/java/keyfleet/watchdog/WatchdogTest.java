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

  private void assertRolledBack(RollbackReason rollbackReason) {
    NodeReport report = rig.report().orElseThrow();
    assertEquals(NodePhase.ROLLED_BACK, report.phase());
    assertEquals(rollbackReason, report.rollbackReason());
    assertEquals(OLD, rig.slots.running());
    assertEquals(OLD, report.running());
  }

  private void driveToSoaked() {
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    rig.drive(Goal.APPLIED, NodePhase.SOAKED);
  }

  private void driveToSoaking() {
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    rig.drive(Goal.APPLIED, NodePhase.SOAKING);
  }

  @Test
  void goodRelease_isStagedAppliedSoakedConfirmed() {
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    assertEquals(OLD, rig.slots.running());
    rig.drive(Goal.APPLIED, NodePhase.SOAKED);
    assertEquals(List.of(OLD, NEW), rig.slots.activationHistory());
    rig.drive(Goal.CONFIRMED, NodePhase.CONFIRMED);
    rig.runFor(Duration.ofHours(1));
    assertEquals(NodePhase.CONFIRMED, rig.nodePhase());
    assertEquals(List.of(OLD, NEW), rig.slots.activationHistory());
    assertEquals(Set.of(OLD, NEW), rig.slots.installed());
  }

  @Test
  void confirmBeforeTheSoak_isIgnored() {
    driveToSoaking();
    rig.order(Goal.CONFIRMED);
    rig.runFor(Duration.ofSeconds(50));
    assertEquals(NodePhase.SOAKING, rig.nodePhase());
    rig.runFor(Duration.ofSeconds(30));
    assertEquals(NodePhase.CONFIRMED, rig.nodePhase());
  }

  @Test
  void badRelease_rollsBackByItself() {
    rig.probe.setResult(NEW, DOWN);
    driveToSoaking();
    rig.runFor(Duration.ofMinutes(1));
    assertRolledBack(RollbackReason.UNHEALTHY);
    rig.runFor(Duration.ofMinutes(1));
    assertEquals(Set.of(OLD), rig.slots.installed());
    assertEquals(List.of(OLD, NEW, OLD), rig.slots.activationHistory());
  }

  @Test
  void releaseThatFailsAfterItsSoak_rollsBackBeforeTheConfirm() {
    driveToSoaked();
    rig.probe.setResult(NEW, DOWN);
    rig.runFor(Duration.ofMinutes(1));
    assertRolledBack(RollbackReason.UNHEALTHY);
  }

  @Test
  void crashLoop_isDetectedBetweenReadyProbes() {
    driveToSoaking();
    for (int restarts = 1; restarts <= 4; restarts++) {
      rig.probe.setResult(NEW, new ProbeResult(State.READY, restarts));
      rig.runFor(Duration.ofSeconds(10));
    }
    rig.runFor(Duration.ofSeconds(2));
    assertRolledBack(RollbackReason.UNHEALTHY);
  }

  /// I9, R21.
  @Test
  void refusedRelease_neverRuns() {
    rig.fetcher.judge(NEW, UNSIGNED);
    rig.drive(Goal.STAGED, NodePhase.ROLLED_BACK);
    rig.order(Goal.APPLIED);
    rig.runFor(Duration.ofMinutes(1));
    assertRolledBack(RollbackReason.REFUSED);
    assertEquals(List.of(OLD), rig.slots.activationHistory());
  }

  @Test
  void releaseThatExpiresWhileStaged_neverRuns() {
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    rig.fetcher.judge(NEW, UNSIGNED);
    rig.drive(Goal.APPLIED, NodePhase.ROLLED_BACK);
    assertRolledBack(RollbackReason.REFUSED);
    assertEquals(List.of(OLD), rig.slots.activationHistory());
  }

  @Test
  void unavailableArtifact_doesNotBlameTheRelease() {
    rig.fetcher.setStatus(NEW, new FetchStatus.InProgress());
    rig.drive(Goal.STAGED, NodePhase.PREPARING);
    rig.runFor(Duration.ofMinutes(3));
    assertEquals(NodePhase.PREPARING, rig.nodePhase());
    rig.fetcher.setStatus(NEW, new FetchStatus.Failed("no route"));
    rig.runFor(Duration.ofSeconds(5));
    assertRolledBack(RollbackReason.INFRASTRUCTURE);
    assertEquals(List.of("no route"), rig.report().orElseThrow().reasons());
    rig.fetcher.recover(NEW);
    rig.order(new DesiredState(WatchdogHarness.task(2), Goal.STAGED, new DriverClaim(1, "a"), 9));
    rig.runFor(Duration.ofSeconds(31));
    assertEquals(NodePhase.STAGED, rig.nodePhase());
  }

  /// I4, P8.
  @Test
  void nodeWithoutAConfirm_rollsBackByTheDeadline() {
    driveToSoaked();
    rig.runFor(Duration.ofSeconds(200));
    assertEquals(NEW, rig.slots.running());
    rig.runFor(Duration.ofSeconds(60));
    assertRolledBack(RollbackReason.UNCONFIRMED);
  }

  @Test
  void fullDisk_doesNotKeepAnUnconfirmedRelease() {
    driveToSoaked();
    rig.journal.setFull();
    rig.clock.advance(WatchdogHarness.DEADLINE);
    assertThrows(LocalFailureException.class, rig::tick);
    assertEquals(OLD, rig.slots.running());
    rig.restart();
    assertThrows(LocalFailureException.class, rig::tick);
    assertEquals(List.of(OLD, NEW, OLD), rig.slots.activationHistory());
  }

  @Test
  void deadline_continuesAcrossRestarts() {
    driveToSoaking();
    for (int i = 0; i < 14; i++) {
      rig.runFor(Duration.ofSeconds(20));
      rig.restart();
    }
    assertEquals(NEW, rig.slots.running());
    rig.runFor(Duration.ofSeconds(25));
    assertRolledBack(RollbackReason.UNCONFIRMED);
  }

  @Test
  void deadlineThatPassedWhileTheHostWasOff_appliesAtTheFirstTick() {
    driveToSoaked();
    rig.reboot(Duration.ofHours(3));
    rig.tick();
    assertRolledBack(RollbackReason.UNCONFIRMED);
  }

  @Test
  void hostThatRebootsRepeatedlyWithAWrongClock_stillRollsBack() {
    driveToSoaking();
    for (int i = 0; i < 20; i++) {
      rig.runFor(Duration.ofSeconds(40));
      rig.reboot(Duration.ofSeconds(10));
      rig.clock.setWall(Instant.EPOCH);
      rig.tick();
    }
    assertRolledBack(RollbackReason.UNCONFIRMED);
  }

  /// R10.
  @Test
  void nodeThatIsCutOff_freezesItsSoakAndKeepsItsDeadline() {
    driveToSoaking();
    rig.kv.disconnect();
    rig.probe.setResult(NEW, DOWN);
    rig.runFor(Duration.ofMinutes(3));
    rig.probe.setResult(NEW, new ProbeResult(State.READY, 0));
    rig.kv.reconnect();
    rig.runFor(Duration.ofSeconds(20));
    assertEquals(NodePhase.SOAKING, rig.nodePhase());
    rig.kv.disconnect();
    rig.runFor(Duration.ofMinutes(2));
    assertEquals(OLD, rig.slots.running());
    rig.kv.reconnect();
    rig.runFor(Duration.ofSeconds(31));
    assertRolledBack(RollbackReason.UNCONFIRMED);
  }

  @Test
  void nodeThatIsCutOff_retriesAtIntervals() {
    assertEquals(rig.clock.clockReading().elapsed(), rig.wakeAt());
    rig.tick();
    rig.kv.disconnect();
    rig.clock.advance(Duration.ofMinutes(1));
    rig.tick();
    long soon = Duration.ofSeconds(1).toNanos();
    assertEquals(rig.clock.clockReading().elapsed() + soon, rig.wakeAt());
  }

  @Test
  void shortCutOff_hasNoEffect() {
    driveToSoaking();
    rig.kv.disconnect();
    rig.runFor(Duration.ofMinutes(1));
    rig.kv.reconnect();
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
      rig.runFor(Duration.ofMinutes(1));
      assertEquals(NodePhase.STAGED, rig.nodePhase());
    }
    assertEquals(List.of(OLD), rig.slots.activationHistory());
  }

  /// I3, R18.
  @Test
  void abort_isAcknowledgedAndPermanent() {
    driveToSoaking();
    rig.order(Goal.ROLLED_BACK, new DriverClaim(2, "b"));
    rig.runFor(Duration.ofSeconds(31));
    assertRolledBack(RollbackReason.ORDERED);
    assertEquals(new DriverClaim(2, "b"), rig.report().orElseThrow().claim());
    rig.order(new DesiredState(WatchdogHarness.task(2), Goal.APPLIED, new DriverClaim(3, "c"), 1));
    rig.runFor(Duration.ofMinutes(1));
    assertRolledBack(RollbackReason.ORDERED);
    assertEquals(List.of(OLD, NEW, OLD), rig.slots.activationHistory());
  }

  @Test
  void confirmedNode_keepsTheReleaseOnAbortAndReplacesItOnRevert() {
    driveToSoaked();
    rig.drive(Goal.CONFIRMED, NodePhase.CONFIRMED);
    rig.order(Goal.ROLLED_BACK, new DriverClaim(2, "b"));
    rig.tick();
    assertEquals(new DriverClaim(2, "b"), rig.report().orElseThrow().claim());
    assertEquals(NEW, rig.slots.running());
    rig.order(Goal.REVERTED, new DriverClaim(3, "c"));
    rig.runFor(Duration.ofSeconds(31));
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
        DriverClaim claim = new DriverClaim(1 + i / 50 - random.nextInt(2) * (i / 50), "n");
        shuffled.order(goals.get(random.nextInt(3)), claim);
        shuffled.tick();
        shuffled.runFor(Duration.ofSeconds(1));
      }
      assertEquals(NodePhase.CONFIRMED, shuffled.nodePhase(), "seed " + seed);
      assertEquals(List.of(OLD, NEW), shuffled.slots.activationHistory(), "seed " + seed);
    }
  }

  @Test
  void lostReplies_doNotChangeTheResult() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      Fault[] faults = Fault.values();
      WatchdogHarness unsure = new WatchdogHarness(() -> faults[random.nextInt(faults.length)]);
      unsure.driveToTheEnd();
      unsure.runFor(Duration.ofMinutes(5));
      assertEquals(NodePhase.CONFIRMED, unsure.nodePhase(), "seed " + seed);
    }
  }

  @Test
  void lostReport_isWrittenAgainAtTheNextTick() {
    Iterator<Fault> faults = List.of(Fault.NONE, Fault.LOST).iterator();
    WatchdogHarness unsure =
        new WatchdogHarness(() -> faults.hasNext() ? faults.next() : Fault.NONE);
    unsure.fetcher.setStatus(NEW, new FetchStatus.InProgress());
    unsure.order(Goal.STAGED);
    unsure.tick();
    assertEquals(Optional.empty(), unsure.report());
    unsure.tick();
    assertEquals(NodePhase.PREPARING, unsure.nodePhase());
  }

  @Test
  void reportThatTheStoreLost_isRestoredWithTheNextHeartbeat() {
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    var key =
        RolloutKeys.ofNode(WatchdogHarness.IDENTITY.component(), WatchdogHarness.IDENTITY.node());
    rig.store.delete(
        RolloutKeys.REPORTS, key, rig.store.get(RolloutKeys.REPORTS, key).orElseThrow().revision());
    rig.runFor(Duration.ofSeconds(31));
    assertEquals(NodePhase.STAGED, rig.nodePhase());
  }

  @Test
  void heartbeat_describesTheNodeAndStopsWithIt() {
    rig.tick();
    assertEquals("idle", rig.heartbeat().orElseThrow().text("state"));
    assertEquals(Optional.empty(), rig.report());
    driveToSoaking();
    rig.runFor(Duration.ofSeconds(31));
    var beat = rig.heartbeat().orElseThrow();
    assertEquals("soaking", beat.text("state"));
    assertEquals("11111111", beat.text("version"));
    assertEquals(1, beat.number("protocol"));
    assertEquals(0, beat.number("degraded"));
    rig.storeClock.advance(Duration.ofSeconds(89));
    assertTrue(rig.heartbeat().isPresent());
    rig.storeClock.advance(Duration.ofSeconds(31));
    assertFalse(rig.heartbeat().isPresent());
  }

  @Test
  void unreadableOrder_isIgnored() {
    rig.drive(Goal.STAGED, NodePhase.STAGED);
    rig.store.put(
        RolloutKeys.ROLLOUTS,
        RolloutKeys.desired(WatchdogHarness.IDENTITY.component(), WatchdogHarness.IDENTITY.node()),
        Value.of("{\"goal\":\"applied\"}"));
    rig.runFor(Duration.ofMinutes(2));
    assertEquals(NodePhase.STAGED, rig.nodePhase());
  }

  @Test
  void quietSoak_isJournaledRarely() {
    driveToSoaking();
    int before = rig.journal.saves();
    rig.runFor(Duration.ofSeconds(55));
    assertTrue(rig.journal.saves() - before <= 2, "saves: " + (rig.journal.saves() - before));
  }
}
