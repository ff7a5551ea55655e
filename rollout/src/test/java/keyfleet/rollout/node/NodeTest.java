package keyfleet.rollout.node;

import static keyfleet.rollout.node.NodeFixtures.APPLYING;
import static keyfleet.rollout.node.NodeFixtures.CONFIRMED;
import static keyfleet.rollout.node.NodeFixtures.DEADLINE;
import static keyfleet.rollout.node.NodeFixtures.FIRST;
import static keyfleet.rollout.node.NodeFixtures.HEALTH_WAIT;
import static keyfleet.rollout.node.NodeFixtures.NEW;
import static keyfleet.rollout.node.NodeFixtures.NEWER;
import static keyfleet.rollout.node.NodeFixtures.OLD;
import static keyfleet.rollout.node.NodeFixtures.SECOND;
import static keyfleet.rollout.node.NodeFixtures.SOAK;
import static keyfleet.rollout.node.NodeFixtures.SOAKED;
import static keyfleet.rollout.node.NodeFixtures.SOAKING;
import static keyfleet.rollout.node.NodeFixtures.STAGED;
import static keyfleet.rollout.node.NodeFixtures.after;
import static keyfleet.rollout.node.NodeFixtures.claim;
import static keyfleet.rollout.node.NodeFixtures.desired;
import static keyfleet.rollout.node.NodeFixtures.idle;
import static keyfleet.rollout.node.NodeFixtures.name;
import static keyfleet.rollout.node.NodeFixtures.seconds;
import static keyfleet.rollout.node.NodeFixtures.task;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import keyfleet.rollout.Component;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Task;
import keyfleet.rollout.node.Node.Confirmed;
import keyfleet.rollout.node.Node.Preparing;
import keyfleet.rollout.node.Node.RolledBack;
import keyfleet.rollout.node.NodeEvent.AttemptId;
import keyfleet.rollout.node.NodeEvent.OrderReceived;
import keyfleet.rollout.node.NodeReply.Busy;
import keyfleet.rollout.node.NodeReply.InProgress;
import keyfleet.rollout.node.NodeReply.NotYet;
import keyfleet.rollout.node.NodeReply.Ok;
import keyfleet.rollout.node.NodeReply.Refused;
import keyfleet.rollout.node.NodeReply.StaleAttempt;
import keyfleet.rollout.node.NodeReply.StaleEpoch;
import keyfleet.rollout.node.NodeReply.Terminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeTest {
  private static final String BACK = SOAKING + ", 11 ROLLED_BACK, 12 undone";

  private static Node nodeIn(String where) {
    return switch (where) {
      case "Idle" -> idle();
      case "Preparing" -> after(idle(), "0 STAGED");
      case "Staged" -> after(idle(), STAGED);
      case "Applying" -> after(idle(), APPLYING);
      case "Soaking" -> after(idle(), SOAKING);
      case "Soaked" -> after(idle(), SOAKED);
      case "Confirmed" -> after(idle(), CONFIRMED);
      case "RollingBack" -> after(idle(), SOAKING + ", 11 ROLLED_BACK");
      case "RolledBack" -> after(idle(), BACK);
      default -> after(idle(), CONFIRMED + ", 72 REVERTED, 73 undone");
    };
  }

  private static Node afterOrder(Node node, Goal goal, long epoch, Task task) {
    return Node.next(
        node, new OrderReceived(new DesiredState(task, goal, claim(epoch), 1)), seconds(80));
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          Idle,        STAGED,      Preparing
          Idle,        CONFIRMED,   Idle
          Idle,        ROLLED_BACK, RolledBack
          Preparing,   APPLIED,     Preparing
          Preparing,   fetched,     Staged
          Preparing,   refused,     RollingBack
          Preparing,   fetchFailed, RollingBack
          Preparing,   swapped,     Preparing
          Staged,      STAGED,      Staged
          Staged,      CONFIRMED,   Staged
          Staged,      APPLIED,     Applying
          Staged,      ROLLED_BACK, RollingBack
          Applying,    CONFIRMED,   Applying
          Applying,    checkFailed,   RollingBack
          Applying,    swapped,     Soaking
          Applying,    REVERTED,    RollingBack
          Soaking,     CONFIRMED,   Soaking
          Soaking,     ROLLED_BACK, RollingBack
          Soaked,      APPLIED,     Soaked
          Soaked,      CONFIRMED,   Confirmed
          Soaked,      ROLLED_BACK, RollingBack
          Confirmed,   STAGED,      Confirmed
          Confirmed,   ROLLED_BACK, Confirmed
          Confirmed,   REVERTED,    RollingBack
          RollingBack, APPLIED,     RollingBack
          RollingBack, CONFIRMED,   RollingBack
          RollingBack, undone,   RolledBack
          RolledBack,  STAGED,      RolledBack
          RolledBack,  APPLIED,     RolledBack
          Reverted,    APPLIED,     Reverted
          """)
  void stateAndEvent_leadToState(String from, String event, String to) {
    Node node = nodeIn(from);
    assertEquals(from, name(node));
    assertEquals(to, name(Node.next(node, NodeFixtures.event(event, node), seconds(71))));
  }

  @ParameterizedTest
  @CsvSource({
    "Idle, Nothing",
    "Preparing, Download",
    "Staged, Nothing",
    "Applying, CheckRules",
    "Soaking, Probe",
    "Soaked, Probe",
    "Confirmed, Nothing",
    "RollingBack, SwapBack",
    "RolledBack, Nothing"
  })
  void state_determinesTheAction(String state, String action) {
    assertEquals(action, Node.nextAction(nodeIn(state)).getClass().getSimpleName());
  }

  /// R8: a staged release never ran, so nothing is swapped back.
  @Test
  void rollbackOfStaged_onlyDiscards() {
    Node node = after(idle(), STAGED + ", 2 ROLLED_BACK");
    assertEquals(new NodeAction.Discard(new AttemptId(FIRST, 1), NEW), Node.nextAction(node));
  }

  /// R8, I8.
  @Test
  void rollbackOfARunningRelease_returnsToTheConfirmedOne() {
    assertEquals(
        new NodeAction.SwapBack(new AttemptId(FIRST, 1), OLD),
        Node.nextAction(nodeIn("RollingBack")));
    assertEquals(OLD, Node.runningRelease(nodeIn("RolledBack")));
  }

  @Test
  void revertedNode_runsThePreviousRelease() {
    Node reverting = after(nodeIn("Confirmed"), "72 REVERTED");
    assertEquals(new NodeAction.SwapBack(new AttemptId(FIRST, 1), OLD), Node.nextAction(reverting));
    assertEquals(OLD, Node.runningRelease(nodeIn("Reverted")));
    assertEquals(NEW, Node.runningRelease(nodeIn("Confirmed")));
  }

  /// R8: neither the running slot nor the last confirmed one is ever discarded.
  @Test
  void keptRelease_isNotDiscarded() {
    Node node = afterOrder(nodeIn("Confirmed"), Goal.STAGED, 1, task(SECOND, 1, OLD));
    assertInstanceOf(Preparing.class, node);
    assertInstanceOf(RolledBack.class, afterOrder(node, Goal.ROLLED_BACK, 1, task(SECOND, 1, OLD)));
    assertEquals(Set.of(OLD, NEW), Node.keptReleases(node));
    assertEquals(Set.of(OLD, NEW), Node.keptReleases(nodeIn("Soaking")));
  }

  /// R2: a lower epoch, or the same epoch with another nonce, changes nothing.
  @Test
  void supersededClaim_isRefusedWithoutEffect() {
    Node node = afterOrder(nodeIn("Staged"), Goal.STAGED, 5, task(FIRST, 1, NEW));
    DesiredState lower = new DesiredState(task(FIRST, 1, NEW), Goal.APPLIED, claim(4), 9);
    DesiredState rival =
        new DesiredState(task(FIRST, 1, NEW), Goal.APPLIED, new DriverClaim(5, "other"), 9);
    DesiredState unclaimed =
        new DesiredState(task(FIRST, 1, NEW), Goal.APPLIED, DriverClaim.NONE, 9);
    for (DesiredState order : List.of(lower, rival, unclaimed)) {
      assertEquals(node, Node.next(node, new OrderReceived(order), 0));
      assertEquals(new StaleEpoch(claim(5)), Node.reply(node, order));
    }
  }

  /// R18: every node acknowledges an abort, even one whose state does not change.
  @ParameterizedTest
  @CsvSource({"Idle", "Staged", "Soaking", "Confirmed", "RollingBack", "RolledBack", "Reverted"})
  void higherClaim_isReported(String state) {
    Node node = afterOrder(nodeIn(state), Goal.ROLLED_BACK, 7, task(FIRST, 1, NEW));
    assertEquals(claim(7), Node.report(node).orElseThrow().claim());
  }

  /// I3: a rollout that was turned back moves nothing forward, in no attempt.
  @ParameterizedTest
  @CsvSource({"Idle", "Preparing", "Staged", "Soaking", "Confirmed", "RolledBack"})
  void turnedBackRollout_neverGoesForwardAgain(String state) {
    Node node = afterOrder(nodeIn(state), Goal.ROLLED_BACK, 7, task(FIRST, 1, NEW));
    node = Node.next(node, NodeFixtures.event("undone", node), seconds(81));
    for (Goal goal : Goal.values()) {
      if (goal.isForward()) {
        Node later = afterOrder(node, goal, 8, task(FIRST, 2, NEW));
        assertEquals(name(node), name(later));
      }
    }
  }

  @Test
  void laterAttempt_beginsAfterARollback() {
    Node node = after(idle(), "0 STAGED, 1 fetchFailed, 2 undone");
    Node again = afterOrder(node, Goal.STAGED, 2, task(FIRST, 2, NEW));
    assertInstanceOf(Preparing.class, again);
    assertEquals(2, Node.report(again).orElseThrow().task().attempt());
    DesiredState first = desired(Goal.STAGED, 3);
    assertEquals(new StaleAttempt(2), Node.reply(again, first));
    assertInstanceOf(Preparing.class, Node.next(again, new OrderReceived(first), 0));
  }

  /// I2: an unconfirmed release that runs ends its own attempt first.
  @Test
  void laterAttempt_doesNotInterruptASoak() {
    Node node = afterOrder(nodeIn("Soaking"), Goal.STAGED, 2, task(FIRST, 2, NEW));
    assertEquals("Soaking", name(node));
    assertEquals(1, Node.report(node).orElseThrow().task().attempt());
  }

  /// R4: an ended rollout may have no driver that undoes what it staged.
  @ParameterizedTest
  @CsvSource({"Preparing, true", "Staged, true", "Applying, false", "Soaking, false"})
  void otherRollout_waitsForARunningReleaseAndDiscardsAStagedOne(String state, boolean discards) {
    DesiredState other = new DesiredState(task(SECOND, 1, NEWER), Goal.STAGED, claim(1), 1);
    assertEquals(new Busy(FIRST), Node.reply(nodeIn(state), other));
    Node node = Node.next(nodeIn(state), new OrderReceived(other), seconds(11));
    assertEquals(discards ? "RollingBack" : state, name(node));
    Node later = Node.next(node, NodeFixtures.event("undone", node), seconds(12));
    assertEquals(
        discards, Node.next(later, new OrderReceived(other), seconds(13)) instanceof Preparing);
  }

  /// I2: a finished rollout that sends orders again gets its result, not a second swap.
  @Test
  void finishedRollout_continuesWhereItEnded() {
    Node second = afterOrder(nodeIn("RolledBack"), Goal.ROLLED_BACK, 1, task(SECOND, 1, NEWER));
    Node again = afterOrder(second, Goal.APPLIED, 1, task(FIRST, 1, NEW));
    assertEquals("RolledBack", name(again));
    assertEquals(FIRST, Node.report(again).orElseThrow().task().rollout());
    assertEquals(
        new StaleEpoch(claim(1)),
        Node.reply(
            second,
            new DesiredState(task(FIRST, 1, NEW), Goal.APPLIED, new DriverClaim(1, "x"), 1)));
  }

  @Test
  void rolloutOvertakenByAnother_cannotRevertIt() {
    Task newer = task(SECOND, 1, NEWER);
    Node node = afterOrder(nodeIn("Confirmed"), Goal.STAGED, 1, newer);
    node = after(node, "80 fetched");
    node = afterOrder(node, Goal.APPLIED, 1, newer);
    node = after(node, "81 swapped, 81 ready, 101 ready, 121 ready, 141 ready");
    node =
        Node.next(node, new OrderReceived(new DesiredState(newer, Goal.CONFIRMED, claim(1), 1)), 0);
    assertInstanceOf(Confirmed.class, node);
    Node first = afterOrder(node, Goal.REVERTED, 2, task(FIRST, 1, NEW));
    assertEquals("Reverted", name(first));
    assertEquals(NEWER, Node.runningRelease(first));
  }

  /// R8: the release before the first one was not kept when the second was confirmed.
  @Test
  void secondRevertInARow_isRefusedWithAReason() {
    Task newer = task(SECOND, 1, NEWER);
    Node node = afterOrder(nodeIn("Confirmed"), Goal.APPLIED, 1, newer);
    node = afterOrder(after(node, "80 fetched"), Goal.APPLIED, 1, newer);
    node = after(node, "81 swapped, 81 ready, 101 ready, 121 ready, 141 ready");
    node =
        Node.next(node, new OrderReceived(new DesiredState(newer, Goal.CONFIRMED, claim(1), 1)), 0);
    node = after(afterOrder(node, Goal.REVERTED, 2, newer), "150 undone");
    assertEquals(NEW, Node.runningRelease(node));
    DesiredState again = new DesiredState(task(FIRST, 1, NEW), Goal.REVERTED, claim(2), 1);
    assertEquals(
        new Refused(List.of("the previous release is no longer kept")), Node.reply(node, again));
    NodeReport report = Node.report(Node.next(node, new OrderReceived(again), 0)).orElseThrow();
    assertEquals(NodePhase.CONFIRMED, report.phase());
    assertEquals(RollbackReason.INFRASTRUCTURE, report.rollbackReason());
    assertEquals(NEW, report.running());
  }

  @Test
  void rolloutsBeyondTheLimit_areForgottenOldestFirst() {
    Node node = nodeIn("Confirmed");
    for (int i = 0; i < 2 * NodeBaseline.MAX_HISTORY; i++) {
      node = afterOrder(node, Goal.ROLLED_BACK, 1, task(new RolloutId("r" + i), 1, NEWER));
    }
    assertEquals(NodeBaseline.MAX_HISTORY, node.baseline().history().size());
    assertEquals("r62", node.baseline().history().getLast().task().rollout().value());
  }

  /// R6, R9: none of these is a failure, and a driver that repeats an order learns the state of the
  /// node.
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          Idle,        STAGED,      InProgress
          Idle,        CONFIRMED,   NotYet
          Preparing,   STAGED,      InProgress
          Preparing,   APPLIED,     NotYet
          Staged,      STAGED,      Ok
          Staged,      CONFIRMED,   NotYet
          Applying,    APPLIED,     InProgress
          Soaking,     STAGED,      Ok
          Soaking,     APPLIED,     Ok
          Soaking,     CONFIRMED,   NotYet
          Soaked,      CONFIRMED,   Ok
          Confirmed,   STAGED,      Ok
          Confirmed,   CONFIRMED,   Ok
          Confirmed,   ROLLED_BACK, Terminal
          Confirmed,   REVERTED,    InProgress
          RollingBack, APPLIED,     InProgress
          RolledBack,  CONFIRMED,   Terminal
          RolledBack,  ROLLED_BACK, Ok
          Reverted,    REVERTED,    Ok
          Reverted,    STAGED,      Terminal
          """)
  void orderInAnyState_isAnswered(String state, Goal goal, String reply) {
    NodeReply answer = Node.reply(nodeIn(state), desired(goal, 1));
    assertEquals(reply, answer.getClass().getSimpleName());
  }

  @Test
  void replies_giveProgressAndReason() {
    assertEquals(
        new NotYet(Duration.ofSeconds(40)),
        Node.reply(after(idle(), SOAKING + ", 30 ready"), desired(Goal.CONFIRMED, 1)));
    Node refused = after(idle(), "0 STAGED, 1 refused, 2 undone");
    assertEquals(
        new Refused(List.of("1 valid signatures, 2 required")),
        Node.reply(refused, desired(Goal.STAGED, 1)));
    assertEquals(
        new Terminal(NodePhase.ROLLED_BACK, RollbackReason.ORDERED),
        Node.reply(nodeIn("RolledBack"), desired(Goal.APPLIED, 1)));
    assertEquals(new Ok(NodePhase.SOAKED), Node.reply(nodeIn("Soaked"), desired(Goal.APPLIED, 1)));
    assertEquals(
        new InProgress(NodePhase.APPLYING), Node.reply(nodeIn("Staged"), desired(Goal.APPLIED, 1)));
  }

  /// R7: a confirm is for one digest.
  @Test
  void confirmOfAnotherRelease_isRefused() {
    Node node = afterOrder(nodeIn("Soaked"), Goal.CONFIRMED, 1, task(FIRST, 1, NEWER));
    assertEquals("Soaked", name(node));
    DesiredState other = new DesiredState(task(FIRST, 1, NEWER), Goal.CONFIRMED, claim(1), 1);
    assertInstanceOf(Refused.class, Node.reply(nodeIn("Soaked"), other));
  }

  /// I2: an attempt that has ended does not start again because its task was changed.
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          Staged,     0 STAGED; 1 fetched
          RolledBack, 0 STAGED; 1 fetchFailed; 2 undone
          """)
  void sameAttemptWithOtherSettings_isRefused(String state, String events) {
    Node node = after(idle(), events.replace(';', ','));
    Task other = new Task(FIRST, 1, NodeFixtures.AGENT, NEW, Duration.ZERO, DEADLINE, HEALTH_WAIT);
    assertEquals(state, name(afterOrder(node, Goal.APPLIED, 1, other)));
    assertInstanceOf(
        Refused.class, Node.reply(node, new DesiredState(other, Goal.APPLIED, claim(1), 1)));
  }

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          0 STAGED; 1 refused; 2 undone,                     REFUSED
          0 STAGED; 1 fetchFailed; 2 undone,                 INFRASTRUCTURE
          0 STAGED; 1 fetched; 2 APPLIED; 2 checkFailed; 3 undone, REFUSED
          0 STAGED; 1 fetched; 2 APPLIED; 302 ticked; 303 undone, UNCONFIRMED
          0 STAGED; 1 ROLLED_BACK; 2 undone,                 ORDERED
          """)
  void rollback_reportsItsReason(String events, RollbackReason rollbackReason) {
    NodeReport report = Node.report(after(idle(), events.replace(';', ','))).orElseThrow();
    assertEquals(NodePhase.ROLLED_BACK, report.phase());
    assertEquals(rollbackReason, report.rollbackReason());
    assertEquals(OLD, report.running());
  }

  /// I4: no event saves an overdue release, not even the confirm.
  @ParameterizedTest
  @CsvSource({"CONFIRMED", "ready", "ticked", "APPLIED", "fetched"})
  void deadline_precedesAnyEvent(String event) {
    Node node = nodeIn("Soaked");
    assertEquals("RollingBack", name(after(node, "302 " + event)));
    assertEquals(
        RollbackReason.UNCONFIRMED, Node.report(after(node, "302 ticked")).get().rollbackReason());
  }

  @Test
  void deadline_runsFromTheApplyNotFromTheSwap() {
    Node node = after(idle(), STAGED + ", 2 APPLIED, 299 checkPassed, 300 swapped");
    assertEquals(OptionalLong.of(seconds(302)), Node.wakeAt(after(node, "300 ready")));
    assertEquals("RollingBack", name(after(node, "302 ticked")));
  }

  @Test
  void confirm_waitsUntilTheReleaseIsReady() {
    Node node = after(nodeIn("Soaked"), "75 unready, 76 CONFIRMED");
    assertEquals("Soaked", name(node));
    assertEquals("Confirmed", name(after(node, "80 ready, 81 CONFIRMED")));
  }

  @Test
  void orderForAnotherComponent_isRefused() {
    Task foreign = new Task(FIRST, 1, new Component("db"), NEW, SOAK, DEADLINE, HEALTH_WAIT);
    DesiredState order = new DesiredState(foreign, Goal.STAGED, claim(1), 1);
    assertInstanceOf(Refused.class, Node.reply(idle(), order));
    assertEquals(idle(), Node.next(idle(), new OrderReceived(order), 0));
  }
}
