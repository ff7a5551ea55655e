package keyfleet.rollout.controller;

import static keyfleet.rollout.controller.ControllerFixtures.START;
import static keyfleet.rollout.controller.ControllerFixtures.TIMINGS;
import static keyfleet.rollout.controller.ControllerFixtures.claim;
import static keyfleet.rollout.controller.ControllerFixtures.goal;
import static keyfleet.rollout.controller.ControllerFixtures.limits;
import static keyfleet.rollout.controller.ControllerFixtures.observed;
import static keyfleet.rollout.controller.ControllerFixtures.progress;
import static keyfleet.rollout.controller.ControllerFixtures.report;
import static keyfleet.rollout.controller.ControllerFixtures.rolling;
import static keyfleet.rollout.controller.ControllerFixtures.spec;
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

  private void handle(RolloutEvent event) {
    rollout = Rollout.next(rollout, event, now);
  }

  /// Observes repeatedly for that long, the last time exactly at its end.
  private void observeFor(Duration length, String present) {
    Duration end = now.plus(length);
    while (now.plus(TIMINGS.staleAfter()).compareTo(end) < 0) {
      now = now.plus(TIMINGS.staleAfter());
      handle(observed(present));
    }
    now = end;
    handle(observed(present));
  }

  private void receiveReport(String node, NodePhase phase) {
    receiveReport(node, phase, RollbackReason.NONE);
  }

  private void receiveReport(String node, NodePhase phase, RollbackReason rollbackReason) {
    long epoch = rollout.run().claim().epoch();
    handle(observed("a b c", report(node, 1, phase, rollbackReason, epoch)));
  }

  private void confirm(String... nodes) {
    for (String node : nodes) {
      receiveReport(node, NodePhase.STAGED);
      receiveReport(node, NodePhase.SOAKED);
      receiveReport(node, NodePhase.CONFIRMED);
    }
  }

  @Test
  void batches_passInTurnWithAPause() {
    handle(observed("a b c"));
    confirm("a", "b");
    assertEquals(NodeProgress.PENDING, progress(rollout, "c"));
    now = now.plus(TIMINGS.batchPause()).minusNanos(1);
    handle(new Ticked());
    assertEquals(NodeProgress.PENDING, progress(rollout, "c"));
    now = now.plusNanos(1);
    handle(new Ticked());
    assertEquals(NodeProgress.PREPARING, progress(rollout, "c"));
    confirm("c");
    assertInstanceOf(Completed.class, rollout);
    assertEquals(Map.of(), rollout.run().progress().entries());
  }

  @Test
  void apply_isOrderedOnlyAfterTheNodeHasStaged() {
    handle(observed("a b c"));
    receiveReport("a", NodePhase.PREPARING);
    assertEquals(Optional.of(Goal.STAGED), goal(rollout, "a"));
    receiveReport("a", NodePhase.STAGED);
    assertEquals(Optional.of(Goal.APPLIED), goal(rollout, "a"));
  }

  @Test
  void failover_failsNoNode() { // I1
    handle(observed("a b c"));
    receiveReport("a", NodePhase.STAGED);
    observeFor(TIMINGS.prepareWithin().minusNanos(1), "b");
    RolloutProgress before = rollout.run().progress();
    handle(new Claimed(claim(2)));
    assertEquals(before, rollout.run().progress());
    handle(observed("a b c"));
    observeFor(TIMINGS.settleWithin().minusNanos(1), "a b c");
    assertEquals(List.of(), rollout.run().progress().failedNodes());
    assertEquals(claim(2), rollout.run().claim());
  }

  @Test
  void lowerOrEqualClaim_changesNothing() { // R2
    Rollout before = rollout;
    handle(new Claimed(new DriverClaim(1, "another")));
    assertEquals(before, rollout);
  }

  @ParameterizedTest
  @CsvSource({
    "UNHEALTHY, FAILED, Rolling",
    "REFUSED, FAILED, Rolling",
    "UNCONFIRMED, PREPARING, Rolling",
    "INFRASTRUCTURE, WAITING, Paused"
  })
  void rollbackReason_decidesTheNextStep(
      RollbackReason rollbackReason, NodeProgress progress, String state) { // R13, R14
    handle(observed("a b c"));
    receiveReport("a", NodePhase.STAGED);
    receiveReport("a", NodePhase.ROLLED_BACK, rollbackReason);
    assertEquals(progress, progress(rollout, "a"));
    assertEquals(state, rollout.getClass().getSimpleName());
    int attempt = progress == NodeProgress.FAILED ? 1 : 2;
    assertEquals(
        new NodeEntry(progress, attempt), rollout.run().progress().entries().get(new NodeId("a")));
    assertEquals(
        state.equals("Paused"), Rollout.holdReason(rollout).isPresent(), "it gives the reason");
  }

  @Test
  void nodeThatIsCutOffEveryTime_isGivenUp() {
    handle(observed("a b c"));
    for (int attempt = 1; attempt <= ForwardSteps.MAX_ATTEMPTS; attempt++) {
      handle(
          observed(
              "a b c", report("a", attempt, NodePhase.ROLLED_BACK, RollbackReason.UNCONFIRMED, 1)));
    }
    assertEquals(NodeProgress.LOST, progress(rollout, "a"));
    assertEquals(List.of(), rollout.run().progress().failedNodes());
  }

  @Test
  void failedNodes_countOnceEachAndAbortAtTheLimit() { // I7
    handle(observed("a b c"));
    receiveReport("a", NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY);
    receiveReport("a", NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY);
    assertInstanceOf(Rolling.class, rollout);
    receiveReport("b", NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY);
    assertInstanceOf(Aborting.class, rollout);
    assertTrue(Rollout.shouldClaim(rollout), "the stop needs an epoch of its own"); // R18
    handle(new Claimed(claim(2)));
    assertEquals(StopCause.FAILURES, assertInstanceOf(Aborted.class, rollout).cause());
  }

  @Test
  void oneFailedCanary_isTooMany() { // R14
    rollout = rolling(spec("a | b c", "", limits(2, 9, 1)));
    handle(observed("a b c"));
    receiveReport("a", NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY);
    assertInstanceOf(Aborting.class, rollout);
  }

  @Test
  void silentCanary_holdsTheRollout() { // R14
    rollout = rolling(spec("a | b c", "", limits(2, 9, 2)));
    handle(observed("b c"));
    now = now.plus(Duration.ofDays(1));
    handle(observed("b c"));
    assertEquals(NodeProgress.PENDING, progress(rollout, "b"));
    assertEquals(
        Optional.of("canaries are unreachable or lost; forget them or abort the rollout: a"),
        Rollout.holdReason(rollout));
    handle(new ForgetRequested(new NodeId("a")));
    assertEquals(NodeProgress.PENDING, progress(rollout, "b"), "no canary has confirmed");
    assertTrue(Rollout.holdReason(rollout).orElse("").startsWith("no canary is left"), "R14");
  }

  @Test
  void deadline_failsPresentNodesAndNotSilentOnes() { // R13
    handle(observed("a b c"));
    observeFor(TIMINGS.prepareWithin(), "a c");
    assertEquals(NodeProgress.FAILED, progress(rollout, "a"));
    assertEquals(NodeProgress.PREPARING, progress(rollout, "b"));
  }

  @Test
  void driverWithAStaleView_observesBeforeItJudges() { // R13, R20
    handle(observed("a b c"));
    now = now.plus(TIMINGS.prepareWithin());
    handle(new Ticked());
    handle(observed("a b c"));
    assertEquals(List.of(), rollout.run().progress().failedNodes());
    observeFor(TIMINGS.prepareWithin(), "a b c");
    assertEquals(2, rollout.run().progress().failedNodes().size());
  }

  @Test
  void slotOfASilentNode_staysTaken() { // I6
    rollout = rolling(spec("| a | b", "", limits(1, 2, 0)));
    handle(observed("a b"));
    handle(observed("a b", report("a", 1, NodePhase.STAGED, RollbackReason.NONE, 1)));
    now = now.plus(Duration.ofDays(1));
    handle(observed("b"));
    assertEquals(NodeProgress.PENDING, progress(rollout, "b"));
    assertEquals(
        Optional.of(
            "unreachable nodes: 1, max_unavailable: 0; no node starts until they return or are"
                + " forgotten: a"),
        Rollout.holdReason(rollout));
    handle(new ForgetRequested(new NodeId("a")));
    handle(observed("b"));
    now = now.plus(TIMINGS.batchPause());
    handle(observed("b"));
    assertEquals(NodeProgress.PREPARING, progress(rollout, "b"));
  }

  @Test
  void offlineNode_getsTheReleaseWhenItReturns() { // R16
    rollout = rolling(spec("| a", "x", limits(1, 2, 0)));
    handle(observed("a x"));
    assertEquals(NodeProgress.PENDING_OFFLINE, progress(rollout, "x"));
    handle(observed("a", report("a", 1, NodePhase.CONFIRMED, RollbackReason.NONE, 1)));
    assertInstanceOf(Rolling.class, rollout);
    handle(observed("a x"));
    assertEquals(NodeProgress.PREPARING, progress(rollout, "x"));
    handle(observed("a x", report("x", 1, NodePhase.CONFIRMED, RollbackReason.NONE, 1)));
    assertInstanceOf(Completed.class, rollout);
  }

  @Test
  void offlineNodeThatNeverReturns_doesNotKeepTheRolloutOpen() { // R16, P6
    rollout = rolling(spec("| a", "x", limits(1, 2, 0)));
    handle(observed("a"));
    handle(observed("a", report("a", 1, NodePhase.CONFIRMED, RollbackReason.NONE, 1)));
    observeFor(TIMINGS.lateNodeWait(), "a");
    assertInstanceOf(Completed.class, rollout);
    assertEquals(NodeProgress.PENDING_OFFLINE, progress(rollout, "x"));
  }

  @Test
  void pausedRollout_confirmsSoakedNodesAndStartsNone() { // R19
    handle(observed("a b c"));
    receiveReport("a", NodePhase.STAGED);
    handle(new PauseRequested());
    receiveReport("b", NodePhase.STAGED);
    receiveReport("a", NodePhase.SOAKED);
    assertEquals(NodeProgress.CONFIRMING, progress(rollout, "a"));
    assertEquals(NodeProgress.PREPARING, progress(rollout, "b"));
    assertInstanceOf(Paused.class, rollout);
  }

  @Test
  void abort_isOverWhenEachNodeHasObeyedIt() { // R18, I3
    handle(observed("a b c"));
    receiveReport("a", NodePhase.STAGED);
    handle(new AbortRequested(claim(2)));
    assertEquals(List.of(new NodeId("a")), rollout.run().progress().awaitedNodes());
    assertEquals(Optional.of(Goal.ROLLED_BACK), goal(rollout, "b"));
    handle(observed("a b c", report("a", 1, NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY, 1)));
    assertInstanceOf(Aborting.class, rollout, "it has not seen the abort's epoch");
    handle(observed("a b c", report("a", 1, NodePhase.ROLLING_BACK, RollbackReason.ORDERED, 2)));
    assertInstanceOf(Aborting.class, rollout, "it is still rolling back");
    handle(observed("a b c", report("a", 1, NodePhase.ROLLED_BACK, RollbackReason.ORDERED, 2)));
    assertInstanceOf(Aborted.class, rollout);
  }

  @Test
  void deadNode_isTakenOutOfAnAbort() {
    handle(observed("a b c"));
    receiveReport("a", NodePhase.STAGED);
    handle(new AbortRequested(claim(2)));
    handle(new Claimed(claim(3)));
    handle(new ForgetRequested(new NodeId("a")));
    assertInstanceOf(Aborted.class, rollout);
    assertEquals(NodeProgress.FORGOTTEN, progress(rollout, "a"));
  }

  @Test
  void rollback_revertsConfirmedNodesWithinTheLimit() {
    rollout = rolling(spec("| a | b | c", "", limits(1, 2, 1)));
    for (String node : List.of("a", "b", "c")) {
      handle(observed("a b c"));
      confirm(node);
      now = now.plus(TIMINGS.batchPause());
    }
    assertInstanceOf(Completed.class, rollout);
    handle(new RollbackRequested(claim(2)));
    handle(observed("a b c"));
    assertEquals(1, Rollout.assignments(rollout).size());
    for (String node : List.of("c", "b", "a")) {
      assertEquals(Optional.of(Goal.REVERTED), goal(rollout, node));
      handle(observed("a b c", report(node, 1, NodePhase.REVERTED, RollbackReason.ORDERED, 2)));
    }
    assertInstanceOf(RolledBack.class, rollout);
    assertEquals(NodeProgress.REVERTED, progress(rollout, "a"));
  }

  /// Two reverts in a row: the release before the first one is no longer kept.
  @Test
  void nodeThatCannotRevert_keepsTheReleaseAndIsNotAwaited() { // R8
    rollout = rolling(spec("| a b", "", limits(2, 2, 1)));
    handle(observed("a b"));
    confirm("a", "b");
    handle(new RollbackRequested(claim(2)));
    handle(observed("a b", report("a", 1, NodePhase.CONFIRMED, RollbackReason.NONE, 2)));
    assertEquals(NodeProgress.REVERTING, progress(rollout, "a"), "it may not have seen the order");
    handle(observed("a b", report("a", 1, NodePhase.CONFIRMED, RollbackReason.INFRASTRUCTURE, 2)));
    assertEquals(NodeProgress.KEPT, progress(rollout, "a"));
    handle(observed("a b", report("b", 1, NodePhase.REVERTED, RollbackReason.ORDERED, 2)));
    assertInstanceOf(RolledBack.class, rollout);
  }

  /// R24: the progress that the store lost is rebuilt from what nodes have obeyed.
  @ParameterizedTest
  @CsvSource({
    "PREPARING, PREPARING", "STAGED, PREPARING", "APPLYING, APPLYING", "SOAKING, APPLYING",
    "SOAKED, APPLYING", "ROLLING_BACK, APPLYING", "CONFIRMED, CONFIRMED", "ROLLED_BACK, PREPARING"
  })
  void lostDecisions_areRebuiltFromReports(NodePhase phase, NodeProgress progress) {
    NodeReport lost = report("c", 2, phase, RollbackReason.NONE, 1);
    handle(observed("a b c"));
    assertTrue(Rollout.hasLostDecisions(rollout, List.of(lost)));
    handle(new DecisionsLost());
    handle(observed("a b c", lost));
    assertEquals(StopCause.STORE_LOST, assertInstanceOf(Paused.class, rollout).cause());
    assertEquals(
        new NodeEntry(progress, 2), rollout.run().progress().entries().get(new NodeId("c")));
    assertFalse(Rollout.hasLostDecisions(rollout, List.of(lost)));
    assertEquals(Map.of(), Rollout.assignments(rollout));
    now = now.plus(TIMINGS.settleWithin());
    handle(new ResumeRequested());
    handle(observed("a b c"));
    assertEquals(List.of(), rollout.run().progress().failedNodes(), "every wait starts again");
  }

  @Test
  void confirmDeadline_outlastsTwoFailovers() { // R7, H6
    assertEquals(Duration.ofSeconds(390), TIMINGS.confirmWithin());
    RolloutTimings hour = RolloutTimings.defaults(Duration.ofHours(1), Duration.ZERO);
    assertEquals(Duration.ofHours(3), hour.confirmWithin());
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new RolloutTimings(
                TIMINGS.soak(),
                TIMINGS.confirmWithin().minusNanos(1),
                TIMINGS.batchPause(),
                TIMINGS.lateNodeWait(),
                TIMINGS.prepareWithin(),
                TIMINGS.answerWithin(),
                TIMINGS.healthWait(),
                TIMINGS.staleAfter(),
                TIMINGS.scanInterval()));
  }
}
