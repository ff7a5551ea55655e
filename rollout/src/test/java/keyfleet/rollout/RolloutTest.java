package keyfleet.rollout;

import static keyfleet.rollout.Rollouts.START;
import static keyfleet.rollout.Rollouts.TIMES;
import static keyfleet.rollout.Rollouts.goal;
import static keyfleet.rollout.Rollouts.lead;
import static keyfleet.rollout.Rollouts.limits;
import static keyfleet.rollout.Rollouts.report;
import static keyfleet.rollout.Rollouts.rolling;
import static keyfleet.rollout.Rollouts.seen;
import static keyfleet.rollout.Rollouts.spec;
import static keyfleet.rollout.Rollouts.standing;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import keyfleet.rollout.Rollout.Aborted;
import keyfleet.rollout.Rollout.Aborting;
import keyfleet.rollout.Rollout.Completed;
import keyfleet.rollout.Rollout.Paused;
import keyfleet.rollout.Rollout.RolledBack;
import keyfleet.rollout.Rollout.Rolling;
import keyfleet.rollout.RolloutEvent.AbortOrdered;
import keyfleet.rollout.RolloutEvent.Claimed;
import keyfleet.rollout.RolloutEvent.ForgetOrdered;
import keyfleet.rollout.RolloutEvent.PauseOrdered;
import keyfleet.rollout.RolloutEvent.ResumeOrdered;
import keyfleet.rollout.RolloutEvent.RollbackOrdered;
import keyfleet.rollout.RolloutEvent.Ticked;
import keyfleet.rollout.RolloutEvent.WentBack;
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

  private void says(String node, Phase phase) {
    says(node, phase, Setback.NONE);
  }

  private void says(String node, Phase phase, Setback setback) {
    long epoch = rollout.run().lead().epoch();
    on(seen("a b c", report(node, 1, phase, setback, epoch)));
  }

  private void confirmed(String... nodes) {
    for (String node : nodes) {
      says(node, Phase.STAGED);
      says(node, Phase.SOAKED);
      says(node, Phase.CONFIRMED);
    }
  }

  @Test
  void batches_passOneAfterTheOtherWithAPause() {
    on(seen("a b c"));
    confirmed("a", "b");
    assertEquals(Standing.PENDING, standing(rollout, "c"));
    assertEquals(Optional.of(now.plus(TIMES.batchPause())), Rollout.wakeAt(rollout));
    now = now.plus(TIMES.batchPause());
    on(new Ticked());
    assertEquals(Standing.PREPARING, standing(rollout, "c"));
    confirmed("c");
    assertInstanceOf(Completed.class, rollout);
    assertEquals(Map.of(), rollout.run().ledger().places());
  }

  @Test
  void apply_isOrderedOnlyAfterTheNodeHasStaged() {
    on(seen("a b c"));
    says("a", Phase.PREPARING);
    assertEquals(Optional.of(Goal.STAGED), goal(rollout, "a"));
    says("a", Phase.STAGED);
    assertEquals(Optional.of(Goal.APPLIED), goal(rollout, "a"));
  }

  @Test
  void failover_failsNobody() { // I1
    on(seen("a b c"));
    says("a", Phase.STAGED);
    watch(TIMES.prepareWithin().minusNanos(1), "b");
    Ledger before = rollout.run().ledger();
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
    on(new Claimed(new Lead(1, "another")));
    assertEquals(before, rollout);
  }

  @ParameterizedTest
  @CsvSource({
    "UNHEALTHY, FAILED, Rolling",
    "REFUSED, FAILED, Rolling",
    "UNCONFIRMED, PREPARING, Rolling",
    "INFRASTRUCTURE, WAITING, Paused"
  })
  void setback_hasItsOwnConsequence(Setback setback, Standing standing, String state) { // R13, R14
    on(seen("a b c"));
    says("a", Phase.STAGED);
    says("a", Phase.ROLLED_BACK, setback);
    assertEquals(standing, standing(rollout, "a"));
    assertEquals(state, rollout.getClass().getSimpleName());
    int attempt = standing == Standing.FAILED ? 1 : 2;
    assertEquals(
        new Place(standing, attempt), rollout.run().ledger().places().get(new NodeId("a")));
    assertEquals(state.equals("Paused"), Rollout.hold(rollout).isPresent(), "it gives the reason");
  }

  @Test
  void nodeThatIsCutOffEveryTime_isGivenUp() {
    on(seen("a b c"));
    for (int attempt = 1; attempt <= Advance.MAX_TRIES; attempt++) {
      on(seen("a b c", report("a", attempt, Phase.ROLLED_BACK, Setback.UNCONFIRMED, 1)));
    }
    assertEquals(Standing.LOST, standing(rollout, "a"));
    assertEquals(List.of(), rollout.run().ledger().failed());
  }

  @Test
  void failedNodes_countOnceEachAndAbortAtTheLimit() { // I7
    on(seen("a b c"));
    says("a", Phase.ROLLED_BACK, Setback.UNHEALTHY);
    says("a", Phase.ROLLED_BACK, Setback.UNHEALTHY);
    assertInstanceOf(Rolling.class, rollout);
    says("b", Phase.ROLLED_BACK, Setback.UNHEALTHY);
    assertInstanceOf(Aborting.class, rollout);
    assertTrue(Rollout.wantsLead(rollout), "the stop needs an epoch of its own"); // R18
    on(new Claimed(lead(2)));
    assertEquals(Cause.FAILURES, assertInstanceOf(Aborted.class, rollout).cause());
  }

  @Test
  void oneFailedCanary_isTooMany() { // R14
    rollout = rolling(spec("a | b c", "", limits(2, 9, 1)));
    on(seen("a b c"));
    says("a", Phase.ROLLED_BACK, Setback.UNHEALTHY);
    assertInstanceOf(Aborting.class, rollout);
  }

  @Test
  void silentCanary_keepsTheFleetWaiting() { // R14
    rollout = rolling(spec("a | b c", "", limits(2, 9, 2)));
    on(seen("b c"));
    now = now.plus(Duration.ofDays(1));
    on(seen("b c"));
    assertEquals(Standing.PENDING, standing(rollout, "b"));
    assertEquals(
        Optional.of("canaries are silent or were given up; forget them or abort the rollout: a"),
        Rollout.hold(rollout));
    on(new ForgetOrdered(new NodeId("a")));
    assertEquals(Standing.PENDING, standing(rollout, "b"), "no canary has confirmed");
    assertTrue(Rollout.hold(rollout).orElse("").startsWith("no canary is left"), "R14");
  }

  @Test
  void deadline_failsWhoBeatsAndNotWhoIsSilent() { // R13
    on(seen("a b c"));
    watch(TIMES.prepareWithin(), "a c");
    assertEquals(Standing.FAILED, standing(rollout, "a"));
    assertEquals(Standing.PREPARING, standing(rollout, "b"));
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
    on(seen("a b", report("a", 1, Phase.STAGED, Setback.NONE, 1)));
    now = now.plus(Duration.ofDays(1));
    on(seen("b"));
    assertEquals(Standing.PENDING, standing(rollout, "b"));
    assertEquals(
        Optional.of("1 unreachable nodes exceed the limit of 0: a"), Rollout.hold(rollout));
    on(new ForgetOrdered(new NodeId("a")));
    on(seen("b"));
    now = now.plus(TIMES.batchPause());
    on(seen("b"));
    assertEquals(Standing.PREPARING, standing(rollout, "b"));
  }

  @Test
  void offlineNode_getsTheReleaseWhenItReturns() { // R16
    rollout = rolling(spec("| a", "x", limits(1, 2, 0)));
    on(seen("a x"));
    assertEquals(Standing.PENDING_OFFLINE, standing(rollout, "x"));
    on(seen("a", report("a", 1, Phase.CONFIRMED, Setback.NONE, 1)));
    assertInstanceOf(Rolling.class, rollout);
    on(seen("a x"));
    assertEquals(Standing.PREPARING, standing(rollout, "x"));
    on(seen("a x", report("x", 1, Phase.CONFIRMED, Setback.NONE, 1)));
    assertInstanceOf(Completed.class, rollout);
  }

  @Test
  void offlineNodeThatNeverReturns_doesNotKeepTheRolloutOpen() { // R16, P6
    rollout = rolling(spec("| a", "x", limits(1, 2, 0)));
    on(seen("a"));
    on(seen("a", report("a", 1, Phase.CONFIRMED, Setback.NONE, 1)));
    watch(TIMES.laneWait(), "a");
    assertInstanceOf(Completed.class, rollout);
    assertEquals(Standing.PENDING_OFFLINE, standing(rollout, "x"));
  }

  @Test
  void pausedRollout_confirmsWhoHasSoakedAndBeginsNothing() { // R19
    on(seen("a b c"));
    says("a", Phase.STAGED);
    on(new PauseOrdered());
    says("b", Phase.STAGED);
    says("a", Phase.SOAKED);
    assertEquals(Standing.CONFIRMING, standing(rollout, "a"));
    assertEquals(Standing.PREPARING, standing(rollout, "b"));
    assertInstanceOf(Paused.class, rollout);
  }

  @Test
  void abort_isOverWhenEachNodeHasObeyedIt() { // R18, I3
    on(seen("a b c"));
    says("a", Phase.STAGED);
    on(new AbortOrdered(lead(2)));
    assertEquals(List.of(new NodeId("a")), rollout.run().ledger().awaited());
    assertEquals(Optional.of(Goal.ROLLED_BACK), goal(rollout, "b"));
    on(seen("a b c", report("a", 1, Phase.ROLLED_BACK, Setback.UNHEALTHY, 1)));
    assertInstanceOf(Aborting.class, rollout, "it has not seen the abort's epoch");
    on(seen("a b c", report("a", 1, Phase.ROLLING_BACK, Setback.ORDERED, 2)));
    assertInstanceOf(Aborting.class, rollout, "it is still rolling back");
    on(seen("a b c", report("a", 1, Phase.ROLLED_BACK, Setback.ORDERED, 2)));
    assertInstanceOf(Aborted.class, rollout);
  }

  @Test
  void deadNode_isTakenOutOfAnAbort() {
    on(seen("a b c"));
    says("a", Phase.STAGED);
    on(new AbortOrdered(lead(2)));
    on(new Claimed(lead(3)));
    on(new ForgetOrdered(new NodeId("a")));
    assertInstanceOf(Aborted.class, rollout);
    assertEquals(Standing.FORGOTTEN, standing(rollout, "a"));
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
    on(new RollbackOrdered(lead(2)));
    on(seen("a b c"));
    assertEquals(1, Rollout.orders(rollout).size());
    for (String node : List.of("c", "b", "a")) {
      assertEquals(Optional.of(Goal.REVERTED), goal(rollout, node));
      on(seen("a b c", report(node, 1, Phase.REVERTED, Setback.ORDERED, 2)));
    }
    assertInstanceOf(RolledBack.class, rollout);
    assertEquals(Standing.REVERTED, standing(rollout, "a"));
  }

  /// Two reverts in a row: the release before the first one is no longer kept.
  @Test
  void nodeThatCannotRevert_keepsTheReleaseAndNobodyWaits() { // R8
    rollout = rolling(spec("| a b", "", limits(2, 2, 1)));
    on(seen("a b"));
    confirmed("a", "b");
    on(new RollbackOrdered(lead(2)));
    on(seen("a b", report("a", 1, Phase.CONFIRMED, Setback.NONE, 2)));
    assertEquals(Standing.REVERTING, standing(rollout, "a"), "it may not have seen the order");
    on(seen("a b", report("a", 1, Phase.CONFIRMED, Setback.INFRASTRUCTURE, 2)));
    assertEquals(Standing.KEPT, standing(rollout, "a"));
    on(seen("a b", report("b", 1, Phase.REVERTED, Setback.ORDERED, 2)));
    assertInstanceOf(RolledBack.class, rollout);
  }

  /// R24: what the ledger lost is rebuilt from what nodes have obeyed.
  @ParameterizedTest
  @CsvSource({
    "PREPARING, PREPARING", "STAGED, PREPARING", "APPLYING, APPLYING", "SOAKING, APPLYING",
    "SOAKED, APPLYING", "ROLLING_BACK, APPLYING", "CONFIRMED, CONFIRMED", "ROLLED_BACK, PREPARING"
  })
  void rolloutThatWentBack_isRebuiltFromReports(Phase phase, Standing standing) {
    NodeReport lost = report("c", 2, phase, Setback.NONE, 1);
    on(seen("a b c"));
    assertTrue(Rollout.isBehind(rollout, List.of(lost)));
    on(new WentBack());
    on(seen("a b c", lost));
    assertEquals(Cause.STORE_LOST, assertInstanceOf(Paused.class, rollout).cause());
    assertEquals(new Place(standing, 2), rollout.run().ledger().places().get(new NodeId("c")));
    assertFalse(Rollout.isBehind(rollout, List.of(lost)));
    assertEquals(Map.of(), Rollout.orders(rollout));
    now = now.plus(TIMES.settleWithin());
    on(new ResumeOrdered());
    on(seen("a b c"));
    assertEquals(List.of(), rollout.run().ledger().failed(), "every wait starts again");
  }

  @Test
  void confirmDeadline_outlastsTwoFailovers() { // R7, H6
    assertEquals(Duration.ofSeconds(390), TIMES.confirmWithin());
    Times hour = Times.usual(Duration.ofHours(1), Duration.ZERO);
    assertEquals(Duration.ofHours(3), hour.confirmWithin());
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new Times(
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
