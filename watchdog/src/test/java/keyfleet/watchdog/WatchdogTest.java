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

  private final WatchdogHarness harness = new WatchdogHarness();

  private void assertRolledBack(RollbackReason rollbackReason) {
    NodeReport report = harness.report().orElseThrow();
    assertEquals(NodePhase.ROLLED_BACK, report.phase());
    assertEquals(rollbackReason, report.rollbackReason());
    assertEquals(OLD, harness.slots.running());
    assertEquals(OLD, report.running());
  }

  private void driveToSoaked() {
    harness.drive(Goal.STAGED, NodePhase.STAGED);
    harness.drive(Goal.APPLIED, NodePhase.SOAKED);
  }

  private void driveToSoaking() {
    harness.drive(Goal.STAGED, NodePhase.STAGED);
    harness.drive(Goal.APPLIED, NodePhase.SOAKING);
  }

  @Test
  void goodRelease_isStagedAppliedSoakedConfirmed() {
    harness.drive(Goal.STAGED, NodePhase.STAGED);
    assertEquals(OLD, harness.slots.running());
    harness.drive(Goal.APPLIED, NodePhase.SOAKED);
    assertEquals(List.of(OLD, NEW), harness.slots.activationHistory());
    harness.drive(Goal.CONFIRMED, NodePhase.CONFIRMED);
    harness.runFor(Duration.ofHours(1));
    assertEquals(NodePhase.CONFIRMED, harness.phase());
    assertEquals(List.of(OLD, NEW), harness.slots.activationHistory());
    assertEquals(Set.of(OLD, NEW), harness.slots.installed());
  }

  @Test
  void confirmBeforeTheSoak_isIgnored() {
    driveToSoaking();
    harness.order(Goal.CONFIRMED);
    harness.runFor(Duration.ofSeconds(50));
    assertEquals(NodePhase.SOAKING, harness.phase());
    harness.runFor(Duration.ofSeconds(30));
    assertEquals(NodePhase.CONFIRMED, harness.phase());
  }

  @Test
  void badRelease_rollsBackByItself() {
    harness.probe.setResult(NEW, DOWN);
    driveToSoaking();
    harness.runFor(Duration.ofMinutes(1));
    assertRolledBack(RollbackReason.UNHEALTHY);
    harness.runFor(Duration.ofMinutes(1));
    assertEquals(Set.of(OLD), harness.slots.installed());
    assertEquals(List.of(OLD, NEW, OLD), harness.slots.activationHistory());
  }

  @Test
  void releaseThatFailsAfterItsSoak_rollsBackBeforeTheConfirm() {
    driveToSoaked();
    harness.probe.setResult(NEW, DOWN);
    harness.runFor(Duration.ofMinutes(1));
    assertRolledBack(RollbackReason.UNHEALTHY);
  }

  @Test
  void crashLoop_isDetectedBetweenReadyProbes() {
    driveToSoaking();
    for (int restarts = 1; restarts <= 4; restarts++) {
      harness.probe.setResult(NEW, new ProbeResult(State.READY, restarts));
      harness.runFor(Duration.ofSeconds(10));
    }
    harness.runFor(Duration.ofSeconds(2));
    assertRolledBack(RollbackReason.UNHEALTHY);
  }

  /// I9, R21.
  @Test
  void refusedRelease_neverRuns() {
    harness.fetcher.setVerdict(NEW, UNSIGNED);
    harness.drive(Goal.STAGED, NodePhase.ROLLED_BACK);
    harness.order(Goal.APPLIED);
    harness.runFor(Duration.ofMinutes(1));
    assertRolledBack(RollbackReason.REFUSED);
    assertEquals(List.of(OLD), harness.slots.activationHistory());
  }

  @Test
  void releaseThatExpiresWhileStaged_neverRuns() {
    harness.drive(Goal.STAGED, NodePhase.STAGED);
    harness.fetcher.setVerdict(NEW, UNSIGNED);
    harness.drive(Goal.APPLIED, NodePhase.ROLLED_BACK);
    assertRolledBack(RollbackReason.REFUSED);
    assertEquals(List.of(OLD), harness.slots.activationHistory());
  }

  @Test
  void unavailableArtifact_doesNotBlameTheRelease() {
    harness.fetcher.setStatus(NEW, new FetchStatus.InProgress());
    harness.drive(Goal.STAGED, NodePhase.PREPARING);
    harness.runFor(Duration.ofMinutes(3));
    assertEquals(NodePhase.PREPARING, harness.phase());
    harness.fetcher.setStatus(NEW, new FetchStatus.Failed("no route"));
    harness.runFor(Duration.ofSeconds(5));
    assertRolledBack(RollbackReason.INFRASTRUCTURE);
    assertEquals(List.of("no route"), harness.report().orElseThrow().reasons());
    harness.fetcher.recover(NEW);
    harness.order(
        new DesiredState(WatchdogHarness.task(2), Goal.STAGED, new DriverClaim(1, "a"), 9));
    harness.runFor(Duration.ofSeconds(31));
    assertEquals(NodePhase.STAGED, harness.phase());
  }

  /// I4, P8.
  @Test
  void nodeWithoutAConfirm_rollsBackByTheDeadline() {
    driveToSoaked();
    harness.runFor(Duration.ofSeconds(200));
    assertEquals(NEW, harness.slots.running());
    harness.runFor(Duration.ofSeconds(60));
    assertRolledBack(RollbackReason.UNCONFIRMED);
  }

  @Test
  void fullDisk_doesNotKeepAnUnconfirmedRelease() {
    driveToSoaked();
    harness.journal.setFull();
    harness.clock.advance(WatchdogHarness.DEADLINE);
    assertThrows(LocalFailureException.class, harness::tick);
    assertEquals(OLD, harness.slots.running());
    harness.restart();
    assertThrows(LocalFailureException.class, harness::tick);
    assertEquals(List.of(OLD, NEW, OLD), harness.slots.activationHistory());
  }

  @Test
  void deadline_continuesAcrossRestarts() {
    driveToSoaking();
    for (int i = 0; i < 14; i++) {
      harness.runFor(Duration.ofSeconds(20));
      harness.restart();
    }
    assertEquals(NEW, harness.slots.running());
    harness.runFor(Duration.ofSeconds(25));
    assertRolledBack(RollbackReason.UNCONFIRMED);
  }

  @Test
  void deadlineThatPassedWhileTheHostWasOff_appliesAtTheFirstTick() {
    driveToSoaked();
    harness.reboot(Duration.ofHours(3));
    harness.tick();
    assertRolledBack(RollbackReason.UNCONFIRMED);
  }

  @Test
  void hostThatRebootsRepeatedlyWithAWrongClock_stillRollsBack() {
    driveToSoaking();
    for (int i = 0; i < 20; i++) {
      harness.runFor(Duration.ofSeconds(40));
      harness.reboot(Duration.ofSeconds(10));
      harness.clock.setWall(Instant.EPOCH);
      harness.tick();
    }
    assertRolledBack(RollbackReason.UNCONFIRMED);
  }

  /// R10.
  @Test
  void nodeThatIsCutOff_freezesItsSoakAndKeepsItsDeadline() {
    driveToSoaking();
    harness.kv.disconnect();
    harness.probe.setResult(NEW, DOWN);
    harness.runFor(Duration.ofMinutes(3));
    harness.probe.setResult(NEW, new ProbeResult(State.READY, 0));
    harness.kv.reconnect();
    harness.runFor(Duration.ofSeconds(20));
    assertEquals(NodePhase.SOAKING, harness.phase());
    harness.kv.disconnect();
    harness.runFor(Duration.ofMinutes(2));
    assertEquals(OLD, harness.slots.running());
    harness.kv.reconnect();
    harness.runFor(Duration.ofSeconds(31));
    assertRolledBack(RollbackReason.UNCONFIRMED);
  }

  @Test
  void nodeThatIsCutOff_retriesAtIntervals() {
    assertEquals(harness.clock.now().elapsed(), harness.wakeAt());
    harness.tick();
    harness.kv.disconnect();
    harness.clock.advance(Duration.ofMinutes(1));
    harness.tick();
    long soon = Duration.ofSeconds(1).toNanos();
    assertEquals(harness.clock.now().elapsed() + soon, harness.wakeAt());
  }

  @Test
  void shortCutOff_hasNoEffect() {
    driveToSoaking();
    harness.kv.disconnect();
    harness.runFor(Duration.ofMinutes(1));
    harness.kv.reconnect();
    harness.driveToTheEnd();
    assertEquals(NodePhase.CONFIRMED, harness.phase());
  }

  /// R2, P9.
  @Test
  void supersededDriver_isNotObeyed() {
    harness.drive(Goal.STAGED, NodePhase.STAGED);
    harness.order(Goal.STAGED, new DriverClaim(2, "b"));
    harness.tick();
    assertEquals(new DriverClaim(2, "b"), harness.report().orElseThrow().claim());
    for (DriverClaim stale : List.of(new DriverClaim(1, "a"), new DriverClaim(2, "other"))) {
      harness.order(Goal.APPLIED, stale);
      harness.runFor(Duration.ofMinutes(1));
      assertEquals(NodePhase.STAGED, harness.phase());
    }
    assertEquals(List.of(OLD), harness.slots.activationHistory());
  }

  /// I3, R18.
  @Test
  void abort_isAcknowledgedAndPermanent() {
    driveToSoaking();
    harness.order(Goal.ROLLED_BACK, new DriverClaim(2, "b"));
    harness.runFor(Duration.ofSeconds(31));
    assertRolledBack(RollbackReason.ORDERED);
    assertEquals(new DriverClaim(2, "b"), harness.report().orElseThrow().claim());
    harness.order(
        new DesiredState(WatchdogHarness.task(2), Goal.APPLIED, new DriverClaim(3, "c"), 1));
    harness.runFor(Duration.ofMinutes(1));
    assertRolledBack(RollbackReason.ORDERED);
    assertEquals(List.of(OLD, NEW, OLD), harness.slots.activationHistory());
  }

  @Test
  void confirmedNode_keepsTheReleaseOnAbortAndReplacesItOnRevert() {
    driveToSoaked();
    harness.drive(Goal.CONFIRMED, NodePhase.CONFIRMED);
    harness.order(Goal.ROLLED_BACK, new DriverClaim(2, "b"));
    harness.tick();
    assertEquals(new DriverClaim(2, "b"), harness.report().orElseThrow().claim());
    assertEquals(NEW, harness.slots.running());
    harness.order(Goal.REVERTED, new DriverClaim(3, "c"));
    harness.runFor(Duration.ofSeconds(31));
    assertEquals(NodePhase.REVERTED, harness.phase());
    assertEquals(OLD, harness.slots.running());
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
      assertEquals(NodePhase.CONFIRMED, shuffled.phase(), "seed " + seed);
      assertEquals(List.of(OLD, NEW), shuffled.slots.activationHistory(), "seed " + seed);
    }
  }

  @Test
  void lostReplies_doNotChangeTheResult() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      Fault[] faults = Fault.values();
      WatchdogHarness unreliable = new WatchdogHarness(() -> faults[random.nextInt(faults.length)]);
      unreliable.driveToTheEnd();
      unreliable.runFor(Duration.ofMinutes(5));
      assertEquals(NodePhase.CONFIRMED, unreliable.phase(), "seed " + seed);
    }
  }

  @Test
  void lostReport_isWrittenAgainAtTheNextTick() {
    Iterator<Fault> faults = List.of(Fault.NONE, Fault.LOST).iterator();
    WatchdogHarness unreliable =
        new WatchdogHarness(() -> faults.hasNext() ? faults.next() : Fault.NONE);
    unreliable.fetcher.setStatus(NEW, new FetchStatus.InProgress());
    unreliable.order(Goal.STAGED);
    unreliable.tick();
    assertEquals(Optional.empty(), unreliable.report());
    unreliable.tick();
    assertEquals(NodePhase.PREPARING, unreliable.phase());
  }

  @Test
  void reportThatTheStoreLost_isRestoredWithTheNextHeartbeat() {
    harness.drive(Goal.STAGED, NodePhase.STAGED);
    var key =
        RolloutKeys.ofNode(WatchdogHarness.IDENTITY.component(), WatchdogHarness.IDENTITY.node());
    harness.store.delete(
        RolloutKeys.REPORTS,
        key,
        harness.store.get(RolloutKeys.REPORTS, key).orElseThrow().revision());
    harness.runFor(Duration.ofSeconds(31));
    assertEquals(NodePhase.STAGED, harness.phase());
  }

  @Test
  void heartbeat_describesTheNodeAndStopsWithIt() {
    harness.tick();
    assertEquals("idle", harness.heartbeat().orElseThrow().text("state"));
    assertEquals(Optional.empty(), harness.report());
    driveToSoaking();
    harness.runFor(Duration.ofSeconds(31));
    var heartbeat = harness.heartbeat().orElseThrow();
    assertEquals("soaking", heartbeat.text("state"));
    assertEquals("11111111", heartbeat.text("version"));
    assertEquals(1, heartbeat.number("protocol"));
    assertEquals(0, heartbeat.number("degraded"));
    harness.storeClock.advance(Duration.ofSeconds(89));
    assertTrue(harness.heartbeat().isPresent());
    harness.storeClock.advance(Duration.ofSeconds(31));
    assertFalse(harness.heartbeat().isPresent());
  }

  @Test
  void unreadableOrder_isIgnored() {
    harness.drive(Goal.STAGED, NodePhase.STAGED);
    harness.store.put(
        RolloutKeys.ROLLOUTS,
        RolloutKeys.desired(WatchdogHarness.IDENTITY.component(), WatchdogHarness.IDENTITY.node()),
        Value.of("{\"goal\":\"applied\"}"));
    harness.runFor(Duration.ofMinutes(2));
    assertEquals(NodePhase.STAGED, harness.phase());
  }

  @Test
  void quietSoak_isJournaledRarely() {
    driveToSoaking();
    int before = harness.journal.saves();
    harness.runFor(Duration.ofSeconds(55));
    assertTrue(
        harness.journal.saves() - before <= 2, "saves: " + (harness.journal.saves() - before));
  }
}
