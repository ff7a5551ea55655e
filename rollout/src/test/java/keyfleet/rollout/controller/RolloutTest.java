package keyfleet.rollout.controller;

import static keyfleet.rollout.controller.ControllerFixtures.START;
import static keyfleet.rollout.controller.ControllerFixtures.TIMES;
import static keyfleet.rollout.controller.ControllerFixtures.goal;
import static keyfleet.rollout.controller.ControllerFixtures.lead;
import static keyfleet.rollout.controller.ControllerFixtures.limits;
import static keyfleet.rollout.controller.ControllerFixtures.report;
import static keyfleet.rollout.controller.ControllerFixtures.rolling;
import static keyfleet.rollout.controller.ControllerFixtures.seen;
import static keyfleet.rollout.controller.ControllerFixtures.spec;
import static keyfleet.rollout.controller.ControllerFixtures.standing;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.controller.Rollout.Aborted;
import keyfleet.rollout.controller.Rollout.Aborting;
import keyfleet.rollout.controller.Rollout.Completed;
import keyfleet.rollout.controller.Rollout.Paused;
import keyfleet.rollout.controller.Rollout.RolledBack;
import keyfleet.rollout.controller.Rollout.Rolling;
import keyfleet.rollout.controller.RolloutEvent.AbortRequested;
import keyfleet.rollout.controller.RolloutEvent.Claimed;
import keyfleet.rollout.controller.RolloutEvent.DecisionsLost;
import keyfleet.rollout.controller.RolloutEvent.ForgetRequested;
import keyfleet.rollout.controller.RolloutEvent.PauseRequested;
import keyfleet.rollout.controller.RolloutEvent.ResumeRequested;
import keyfleet.rollout.controller.RolloutEvent.RollbackRequested;
import keyfleet.rollout.controller.RolloutEvent.Ticked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RolloutTest {
  private Duration now = START;
  private Rollout rollout = rolling(spec("| a b | c", "", limits(2, 2, 1)));

  private void on(RolloutEvent event) {
    rollout = Rollout.next(rollout, event, now);
  }

  /// Observes repeatedly for that long, the last time exactly at its end.
  private void watch(Duration length, String present) {
    Duration end = now.plus(length);
    while (now.plus(TIMES.stale()).compareTo(end) < 0) {
      now = now.plus(TIMES.stale());
      on(seen(present));
    }
    now = end;
    on(seen(present));
  }

  private void says(String node, NodePhase phase) {
    says(node, phase, RollbackReason.NONE);
  }

  private void says(String node, NodePhase phase, RollbackReason setback) {
    long epoch = rollout.run().lead().epoch();
    on(seen("a b c", report(node, 1, phase, setback, epoch)));
  }

  private void confirmed(String... nodes) {
    for (String node : nodes) {
      says(node, NodePhase.STAGED);
      says(node, NodePhase.SOAKED);
      says(node, NodePhase.CONFIRMED);
    }
  }

  @Test
  void batches_passOneAfterTheOtherWithAPause() {
    on(seen("a b c"));
    confirmed("a", "b");
    assertEquals(NodeProgress.PENDING, standing(rollout, "c"));
    assertEquals(Optional.of(now.plus(TIMES.batchPause())), Rollout.wakeAt(rollout));
    now = now.plus(TIMES.batchPause());
    on(new Ticked());
    assertEquals(NodeProgress.PREPARING, standing(rollout, "c"));
    confirmed("c");
    assertInstanceOf(Completed.class, rollout);
    assertEquals(Map.of(), rollout.run().ledger().places());
  }

  @Test
  void apply_isOrderedOnlyAfterTheNodeHasStaged() {
    on(seen("a b c"));
    says("a", NodePhase.PREPARING);
    assertEquals(Optional.of(Goal.STAGED), goal(rollout, "a"));
    says("a", NodePhase.STAGED);
    assertEquals(Optional.of(Goal.APPLIED), goal(rollout, "a"));
  }

  @Test
  void failover_failsNobody() { // I1
    on(seen("a b c"));
    says("a", NodePhase.STAGED);
    watch(TIMES.prepareWithin().minusNanos(1), "b");
    RolloutProgress before = rollout.run().ledger();
    on(new Claimed(lead(2)));
    assertEquals(before, rollout.run().ledger());
    on(seen("a b c"));
    watch(TIMES.settleWithin().minusNanos(1), "a b c");
    assertEquals(List.of(), rollout.run().ledger().failed());
    assertEquals(lead(2), rollout.run().lead());
  }

  @Test
  void lowerOrEqualClaim_changesNothing() { // R2
    Rollout before = rollout;
    on(new Claimed(new DriverClaim(1, "another")));
    assertEquals(before, rollout);
  }

  @ParameterizedTest
  @CsvSource({
    "UNHEALTHY, FAILED, Rolling",
    "REFUSED, FAILED, Rolling",
    "UNCONFIRMED, PREPARING, Rolling",
    "INFRASTRUCTURE, WAITING, Paused"
  })
  void setback_hasItsOwnConsequence(
      RollbackReason setback, NodeProgress standing, String state) { // R13, R14
    on(seen("a b c"));
    says("a", NodePhase.STAGED);
    says("a", NodePhase.ROLLED_BACK, setback);
    assertEquals(standing, standing(rollout, "a"));
    assertEquals(state, rollout.getClass().getSimpleName());
    int attempt = standing == NodeProgress.FAILED ? 1 : 2;
    assertEquals(
        new NodeEntry(standing, attempt), rollout.run().ledger().places().get(new NodeId("a")));
    assertEquals(state.equals("Paused"), Rollout.hold(rollout).isPresent(), "it gives the reason");
  }

  @Test
  void nodeThatIsCutOffEveryTime_isGivenUp() {
    on(seen("a b c"));
    for (int attempt = 1; attempt <= ForwardSteps.MAX_TRIES; attempt++) {
      on(seen("a b c", report("a", attempt, NodePhase.ROLLED_BACK, RollbackReason.UNCONFIRMED, 1)));
    }
    assertEquals(NodeProgress.LOST, standing(rollout, "a"));
    assertEquals(List.of(), rollout.run().ledger().failed());
  }

  @Test
  void failedNodes_countOnceEachAndAbortAtTheLimit() { // I7
    on(seen("a b c"));
    says("a", NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY);
    says("a", NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY);
    assertInstanceOf(Rolling.class, rollout);
    says("b", NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY);
    assertInstanceOf(Aborting.class, rollout);
    assertTrue(Rollout.wantsLead(rollout), "the stop needs an epoch of its own"); // R18
    on(new Claimed(lead(2)));
    assertEquals(StopCause.FAILURES, assertInstanceOf(Aborted.class, rollout).cause());
  }

  @Test
  void oneFailedCanary_isTooMany() { // R14
    rollout = rolling(spec("a | b c", "", limits(2, 9, 1)));
    on(seen("a b c"));
    says("a", NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY);
    assertInstanceOf(Aborting.class, rollout);
  }

  @Test
  void silentCanary_keepsTheFleetWaiting() { // R14
    rollout = rolling(spec("a | b c", "", limits(2, 9, 2)));
    on(seen("b c"));
    now = now.plus(Duration.ofDays(1));
    on(seen("b c"));
    assertEquals(NodeProgress.PENDING, standing(rollout, "b"));
    assertEquals(
        Optional.of("canaries are silent or were given up; forget them or abort the rollout: a"),
        Rollout.hold(rollout));
    on(new ForgetRequested(new NodeId("a")));
    assertEquals(NodeProgress.PENDING, standing(rollout, "b"), "no canary has confirmed");
    assertTrue(Rollout.hold(rollout).orElse("").startsWith("no canary is left"), "R14");
  }

  @Test
  void deadline_failsWhoBeatsAndNotWhoIsSilent() { // R13
    on(seen("a b c"));
    watch(TIMES.prepareWithin(), "a c");
    assertEquals(NodeProgress.FAILED, standing(rollout, "a"));
    assertEquals(NodeProgress.PREPARING, standing(rollout, "b"));
  }

  @Test
  void driverThatWasBlind_looksBeforeItJudges() { // R13, R20
    on(seen("a b c"));
    now = now.plus(TIMES.prepareWithin());
    on(new Ticked());
    on(seen("a b c"));
    assertEquals(List.of(), rollout.run().ledger().failed());
    watch(TIMES.prepareWithin(), "a b c");
    assertEquals(2, rollout.run().ledger().failed().size());
  }

  @Test
  void slotOfASilentNode_isNotGivenAway() { // I6
    rollout = rolling(spec("| a | b", "", limits(1, 2, 0)));
    on(seen("a b"));
    on(seen("a b", report("a", 1, NodePhase.STAGED, RollbackReason.NONE, 1)));
    now = now.plus(Duration.ofDays(1));
    on(seen("b"));
    assertEquals(NodeProgress.PENDING, standing(rollout, "b"));
    assertEquals(
        Optional.of("1 unreachable nodes exceed the limit of 0: a"), Rollout.hold(rollout));
    on(new ForgetRequested(new NodeId("a")));
    on(seen("b"));
    now = now.plus(TIMES.batchPause());
    on(seen("b"));
    assertEquals(NodeProgress.PREPARING, standing(rollout, "b"));
  }

  @Test
  void offlineNode_getsTheReleaseWhenItReturns() { // R16
    rollout = rolling(spec("| a", "x", limits(1, 2, 0)));
    on(seen("a x"));
    assertEquals(NodeProgress.PENDING_OFFLINE, standing(rollout, "x"));
    on(seen("a", report("a", 1, NodePhase.CONFIRMED, RollbackReason.NONE, 1)));
    assertInstanceOf(Rolling.class, rollout);
    on(seen("a x"));
    assertEquals(NodeProgress.PREPARING, standing(rollout, "x"));
    on(seen("a x", report("x", 1, NodePhase.CONFIRMED, RollbackReason.NONE, 1)));
    assertInstanceOf(Completed.class, rollout);
  }

  @Test
  void offlineNodeThatNeverReturns_doesNotKeepTheRolloutOpen() { // R16, P6
    rollout = rolling(spec("| a", "x", limits(1, 2, 0)));
    on(seen("a"));
    on(seen("a", report("a", 1, NodePhase.CONFIRMED, RollbackReason.NONE, 1)));
    watch(TIMES.laneWait(), "a");
    assertInstanceOf(Completed.class, rollout);
    assertEquals(NodeProgress.PENDING_OFFLINE, standing(rollout, "x"));
  }

  @Test
  void pausedRollout_confirmsWhoHasSoakedAndBeginsNothing() { // R19
    on(seen("a b c"));
    says("a", NodePhase.STAGED);
    on(new PauseRequested());
    says("b", NodePhase.STAGED);
    says("a", NodePhase.SOAKED);
    assertEquals(NodeProgress.CONFIRMING, standing(rollout, "a"));
    assertEquals(NodeProgress.PREPARING, standing(rollout, "b"));
    assertInstanceOf(Paused.class, rollout);
  }

  @Test
  void abort_isOverWhenEachNodeHasObeyedIt() { // R18, I3
    on(seen("a b c"));
    says("a", NodePhase.STAGED);
    on(new AbortRequested(lead(2)));
    assertEquals(List.of(new NodeId("a")), rollout.run().ledger().awaited());
    assertEquals(Optional.of(Goal.ROLLED_BACK), goal(rollout, "b"));
    on(seen("a b c", report("a", 1, NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY, 1)));
    assertInstanceOf(Aborting.class, rollout, "it has not seen the abort's epoch");
    on(seen("a b c", report("a", 1, NodePhase.ROLLING_BACK, RollbackReason.ORDERED, 2)));
    assertInstanceOf(Aborting.class, rollout, "it is still rolling back");
    on(seen("a b c", report("a", 1, NodePhase.ROLLED_BACK, RollbackReason.ORDERED, 2)));
    assertInstanceOf(Aborted.class, rollout);
  }

  @Test
  void deadNode_isTakenOutOfAnAbort() {
    on(seen("a b c"));
    says("a", NodePhase.STAGED);
    on(new AbortRequested(lead(2)));
    on(new Claimed(lead(3)));
    on(new ForgetRequested(new NodeId("a")));
    assertInstanceOf(Aborted.class, rollout);
    assertEquals(NodeProgress.FORGOTTEN, standing(rollout, "a"));
  }

  @Test
  void rollback_revertsConfirmedNodesWithinTheBound() {
    rollout = rolling(spec("| a | b | c", "", limits(1, 2, 1)));
    for (String node : List.of("a", "b", "c")) {
      on(seen("a b c"));
      confirmed(node);
      now = now.plus(TIMES.batchPause());
    }
    assertInstanceOf(Completed.class, rollout);
    on(new RollbackRequested(lead(2)));
    on(seen("a b c"));
    assertEquals(1, Rollout.orders(rollout).size());
    for (String node : List.of("c", "b", "a")) {
      assertEquals(Optional.of(Goal.REVERTED), goal(rollout, node));
      on(seen("a b c", report(node, 1, NodePhase.REVERTED, RollbackReason.ORDERED, 2)));
    }
    assertInstanceOf(RolledBack.class, rollout);
    assertEquals(NodeProgress.REVERTED, standing(rollout, "a"));
  }

  /// Two reverts in a row: the release before the first one is no longer kept.
  @Test
  void nodeThatCannotRevert_keepsTheReleaseAndNobodyWaits() { // R8
    rollout = rolling(spec("| a b", "", limits(2, 2, 1)));
    on(seen("a b"));
    confirmed("a", "b");
    on(new RollbackRequested(lead(2)));
    on(seen("a b", report("a", 1, NodePhase.CONFIRMED, RollbackReason.NONE, 2)));
    assertEquals(NodeProgress.REVERTING, standing(rollout, "a"), "it may not have seen the order");
    on(seen("a b", report("a", 1, NodePhase.CONFIRMED, RollbackReason.INFRASTRUCTURE, 2)));
    assertEquals(NodeProgress.KEPT, standing(rollout, "a"));
    on(seen("a b", report("b", 1, NodePhase.REVERTED, RollbackReason.ORDERED, 2)));
    assertInstanceOf(RolledBack.class, rollout);
  }

  /// R24: what the ledger lost is rebuilt from what nodes have obeyed.
  @ParameterizedTest
  @CsvSource({
    "PREPARING, PREPARING", "STAGED, PREPARING", "APPLYING, APPLYING", "SOAKING, APPLYING",
    "SOAKED, APPLYING", "ROLLING_BACK, APPLYING", "CONFIRMED, CONFIRMED", "ROLLED_BACK, PREPARING"
  })
  void rolloutThatWentBack_isRebuiltFromReports(NodePhase phase, NodeProgress standing) {
    NodeReport lost = report("c", 2, phase, RollbackReason.NONE, 1);
    on(seen("a b c"));
    assertTrue(Rollout.isBehind(rollout, List.of(lost)));
    on(new DecisionsLost());
    on(seen("a b c", lost));
    assertEquals(StopCause.STORE_LOST, assertInstanceOf(Paused.class, rollout).cause());
    assertEquals(new NodeEntry(standing, 2), rollout.run().ledger().places().get(new NodeId("c")));
    assertFalse(Rollout.isBehind(rollout, List.of(lost)));
    assertEquals(Map.of(), Rollout.orders(rollout));
    now = now.plus(TIMES.settleWithin());
    on(new ResumeRequested());
    on(seen("a b c"));
    assertEquals(List.of(), rollout.run().ledger().failed(), "every wait starts again");
  }

  @Test
  void confirmDeadline_outlastsTwoFailovers() { // R7, H6
    assertEquals(Duration.ofSeconds(390), TIMES.confirmWithin());
    RolloutTimings hour = RolloutTimings.usual(Duration.ofHours(1), Duration.ZERO);
    assertEquals(Duration.ofHours(3), hour.confirmWithin());
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new RolloutTimings(
                TIMES.soak(),
                TIMES.confirmWithin().minusNanos(1),
                TIMES.batchPause(),
                TIMES.laneWait(),
                TIMES.prepareWithin(),
                TIMES.answerWithin(),
                TIMES.healthWait(),
                TIMES.stale(),
                TIMES.scan()));
  }
}
