package keyfleet.rollout;

import static keyfleet.rollout.NodeWords.NEW;
import static keyfleet.rollout.NodeWords.SOAKED;
import static keyfleet.rollout.NodeWords.SOAKING;
import static keyfleet.rollout.NodeWords.STAGED;
import static keyfleet.rollout.NodeWords.after;
import static keyfleet.rollout.NodeWords.idle;
import static keyfleet.rollout.NodeWords.lead;
import static keyfleet.rollout.NodeWords.task;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import keyfleet.rollout.NodeEvent.Commanded;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a node reports about a release that it has rolled back (R17).
final class QuarantineTest {
  private static final String SICK = SOAKING + ", 20 unready, 40 unready, 50 unready, 51 undone";

  @ParameterizedTest
  @CsvSource({
    "SICK, true",
    "REFUSED, true",
    "OVERDUE, false",
    "ORDERED, false",
    "NOT_FETCHED, false"
  })
  void rollback_quarantinesWhatTheNodeHoldsAgainstTheRelease(Ending ending, boolean quarantined) {
    Map<Sha256, Integer> expected = quarantined ? Map.of(NEW, 1) : Map.of();
    assertEquals(expected, Quarantine.of(after(idle(), ending.words)).attempts());
  }

  enum Ending {
    SICK(QuarantineTest.SICK),
    REFUSED("0 STAGED, 1 refused, 2 undone"),
    OVERDUE(SOAKED + ", 303 ticked, 304 undone"),
    ORDERED(STAGED + ", 2 ROLLED_BACK, 3 undone"),
    NOT_FETCHED("0 STAGED, 1 fetchFailed, 2 undone");

    private final String words;

    Ending(String words) {
      this.words = words;
    }
  }

  @Test
  void quarantine_outlivesTheNextRollouts() {
    Node node = after(idle(), SICK);
    Desired other =
        new Desired(task(NodeWords.SECOND, 1, NodeWords.NEWER), Goal.STAGED, lead(1), 1);
    node = Node.next(node, new Commanded(other), NodeWords.seconds(60));
    assertEquals(Map.of(NEW, 1), Quarantine.of(node).attempts());
    assertTrue(Quarantine.of(node).bars(Offer.of(NEW, 1)));
    assertFalse(Quarantine.of(node).bars(Offer.of(NEW, 2)));
    assertFalse(Quarantine.of(node).bars(Offer.of(NodeWords.NEWER, 1)));
  }

  @Test
  void confirmInALaterAttempt_liftsIt() {
    Node node = after(idle(), SICK);
    Desired again = new Desired(task(NodeWords.SECOND, 2, NEW), Goal.APPLIED, lead(1), 1);
    node = Node.next(node, new Commanded(again), NodeWords.seconds(60));
    node = after(node, "61 fetched");
    node = Node.next(node, new Commanded(again), NodeWords.seconds(62));
    node = after(node, "62 checkPassed, 63 swapped, 70 ready, 90 ready, 110 ready, 130 ready");
    Desired confirm = new Desired(again.task(), Goal.CONFIRMED, lead(1), 2);
    node = Node.next(node, new Commanded(confirm), NodeWords.seconds(131));
    assertEquals("Confirmed", NodeWords.name(node));
    assertEquals(Map.of(), Quarantine.of(node).attempts());
  }
}
