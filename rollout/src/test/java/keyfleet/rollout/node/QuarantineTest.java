package keyfleet.rollout.node;

import static keyfleet.rollout.node.NodeFixtures.NEW;
import static keyfleet.rollout.node.NodeFixtures.SOAKED;
import static keyfleet.rollout.node.NodeFixtures.SOAKING;
import static keyfleet.rollout.node.NodeFixtures.STAGED;
import static keyfleet.rollout.node.NodeFixtures.after;
import static keyfleet.rollout.node.NodeFixtures.claim;
import static keyfleet.rollout.node.NodeFixtures.idle;
import static keyfleet.rollout.node.NodeFixtures.task;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.Goal;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.node.NodeEvent.OrderReceived;
import keyfleet.rollout.release.OfferedRelease;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a node reports about a release that it has rolled back (R17).
final class QuarantineTest {
  private static final String UNHEALTHY =
      SOAKING + ", 20 unready, 40 unready, 50 unready, 51 undone";

  @ParameterizedTest
  @CsvSource({
    "UNHEALTHY, true",
    "REFUSED, true",
    "OVERDUE, false",
    "ORDERED, false",
    "NOT_FETCHED, false"
  })
  void rollback_quarantinesAReleaseThatFailed(Ending ending, boolean quarantined) {
    Map<Sha256, Integer> expected = quarantined ? Map.of(NEW, 1) : Map.of();
    assertEquals(expected, Quarantine.of(after(idle(), ending.events)).attempts());
  }

  enum Ending {
    UNHEALTHY(QuarantineTest.UNHEALTHY),
    REFUSED("0 STAGED, 1 refused, 2 undone"),
    OVERDUE(SOAKED + ", 303 ticked, 304 undone"),
    ORDERED(STAGED + ", 2 ROLLED_BACK, 3 undone"),
    NOT_FETCHED("0 STAGED, 1 fetchFailed, 2 undone");

    private final String events;

    Ending(String events) {
      this.events = events;
    }
  }

  @Test
  void quarantine_outlivesTheNextRollouts() {
    Node node = after(idle(), UNHEALTHY);
    DesiredState other =
        new DesiredState(
            task(NodeFixtures.SECOND, 1, NodeFixtures.NEWER), Goal.STAGED, claim(1), 1);
    node = Node.next(node, new OrderReceived(other), NodeFixtures.seconds(60));
    assertEquals(Map.of(NEW, 1), Quarantine.of(node).attempts());
    assertTrue(Quarantine.of(node).isBlocked(OfferedRelease.of(NEW, 1)));
    assertFalse(Quarantine.of(node).isBlocked(OfferedRelease.of(NEW, 2)));
    assertFalse(Quarantine.of(node).isBlocked(OfferedRelease.of(NodeFixtures.NEWER, 1)));
  }

  @Test
  void confirmInALaterAttempt_liftsIt() {
    Node node = after(idle(), UNHEALTHY);
    DesiredState again =
        new DesiredState(task(NodeFixtures.SECOND, 2, NEW), Goal.APPLIED, claim(1), 1);
    node = Node.next(node, new OrderReceived(again), NodeFixtures.seconds(60));
    node = after(node, "61 fetched");
    node = Node.next(node, new OrderReceived(again), NodeFixtures.seconds(62));
    node = after(node, "62 checkPassed, 63 swapped, 70 ready, 90 ready, 110 ready, 130 ready");
    DesiredState confirm = new DesiredState(again.task(), Goal.CONFIRMED, claim(1), 2);
    node = Node.next(node, new OrderReceived(confirm), NodeFixtures.seconds(131));
    assertEquals("Confirmed", NodeFixtures.name(node));
    assertEquals(Map.of(), Quarantine.of(node).attempts());
  }
}
