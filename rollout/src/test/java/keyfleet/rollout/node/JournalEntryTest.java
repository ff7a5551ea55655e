package keyfleet.rollout.node;

import static keyfleet.rollout.node.NodeFixtures.APPLYING;
import static keyfleet.rollout.node.NodeFixtures.SOAKED;
import static keyfleet.rollout.node.NodeFixtures.SOAKING;
import static keyfleet.rollout.node.NodeFixtures.after;
import static keyfleet.rollout.node.NodeFixtures.idle;
import static keyfleet.rollout.node.NodeFixtures.name;
import static keyfleet.rollout.node.NodeFixtures.seconds;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import keyfleet.rollout.node.NodeEvent.Ticked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JournalEntryTest {
  private static final Instant WALL = Instant.parse("2026-11-16T12:00:00Z");

  /// Written at second 70: 232 s of the deadline are left.
  private static final JournalEntry ENTRY =
      new JournalEntry(after(idle(), SOAKED), moment("a", 70, 0));

  private static ClockReading moment(String boot, long elapsed, long wall) {
    return new ClockReading(boot, seconds(elapsed), WALL.plusSeconds(wall));
  }

  /// I4, P8.
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          same boot, a,  100, 9999, 202
          same boot; the wall clock does not matter, a, 100, -50, 202
          rebooted; the wall clock is 30 s later, b, 5, 30, 202
          rebooted; the wall clock went back, b, 5, -4000, 232
          rebooted; by the wall clock long overdue, b, 5, 4000, 0
          """)
  void restart_keepsTheRemainingDeadline(
      String scenario, String boot, long at, long wall, long left) {
    ClockReading now = moment(boot, at, wall);
    Node node = ENTRY.restore(now);
    String before = name(Node.next(node, new Ticked(), seconds(at + left - 1)));
    String then = name(Node.next(node, new Ticked(), seconds(at + left)));
    assertEquals("RollingBack", then, scenario);
    assertEquals(left == 0 ? "RollingBack" : "Soaked", before, scenario);
  }

  @Test
  void entry_keepsTheRemainingDeadline() {
    assertEquals(Optional.of(Duration.ofSeconds(232)), ENTRY.remainingDeadline());
    assertEquals(
        Optional.empty(), new JournalEntry(idle(), moment("a", 70, 0)).remainingDeadline());
  }

  /// R5: the soak starts again, the deadline stays.
  @Test
  void restartInTheSoak_restartsIt() {
    Node almost = after(idle(), SOAKING + ", 36 ready, 66 ready");
    Node node = new JournalEntry(almost, moment("a", 66, 0)).restore(moment("a", 66, 0));
    assertEquals("Soaking", name(after(node, "70 ready, 100 ready, 129 ready")));
    assertEquals("Soaked", name(after(node, "70 ready, 100 ready, 130 ready")));
    assertEquals("RollingBack", name(after(node, "302 ticked")));
  }

  @Test
  void restartAfterTheSoak_requiresAReadyProbeBeforeTheConfirm() {
    Node node = ENTRY.restore(moment("a", 71, 0));
    assertEquals("Soaked", name(after(node, "72 CONFIRMED")));
    assertEquals("Confirmed", name(after(node, "72 ready, 73 CONFIRMED")));
  }

  /// I9: a verdict from before the crash may be outdated.
  @Test
  void restartWhileApplying_checksTheRulesAgain() {
    Node judged = after(idle(), APPLYING + ", 3 checkPassed");
    assertEquals("Swap", Node.nextAction(judged).getClass().getSimpleName());
    Node node = new JournalEntry(judged, moment("a", 3, 0)).restore(moment("a", 4, 1));
    assertEquals("CheckRules", Node.nextAction(node).getClass().getSimpleName());
  }

  @Test
  void runningSoak_needsNoNewEntry() {
    Node node = after(idle(), SOAKING);
    JournalEntry entry = new JournalEntry(node, moment("a", 10, 0));
    assertTrue(entry.isUpToDate(after(node, "20 ready, 30 ready")));
    assertFalse(entry.isUpToDate(after(node, "20 unready")), "a relapse must be saved");
    assertFalse(entry.isUpToDate(after(node, "20 ROLLED_BACK")));
  }
}
