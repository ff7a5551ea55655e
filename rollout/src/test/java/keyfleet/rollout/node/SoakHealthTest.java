package keyfleet.rollout.node;

import static keyfleet.rollout.node.NodeFixtures.APPLYING;
import static keyfleet.rollout.node.NodeFixtures.SOAKED;
import static keyfleet.rollout.node.NodeFixtures.SOAKING;
import static keyfleet.rollout.node.NodeFixtures.after;
import static keyfleet.rollout.node.NodeFixtures.idle;
import static keyfleet.rollout.node.NodeFixtures.name;
import static keyfleet.rollout.node.NodeFixtures.seconds;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.OptionalLong;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.node.NodeEvent.Probed;
import keyfleet.rollout.node.ProbeResult.State;
import keyfleet.rollout.node.SoakHealth.StoreLink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A soak (R10) of 60 s that begins at second 10.
class SoakHealthTest {
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          ready to the end,              20 ready; 40 ready; 60 ready; 70 ready,         Soaked
          a second short,                20 ready; 40 ready; 60 ready; 69 ready,         Soaking
          a break begins it again,       40 ready; 50 unready; 55 ready; 75 ready; 95 ready, Soaking
          after a break in full,         50 unready; 55 ready; 75 ready; 95 ready; 115 ready, Soaked
          not ready for 30 s,            20 unready; 40 unready; 50 unready,             RollingBack
          not ready for 29 s,            20 unready; 40 unready; 49 unready,             Soaking
          suspended between two probes,     110 ready,                                      Soaking
          cut off: no verdict,           20 unready; 40 cutOff; 60 cutOff; 80 unready,   Soaking
          cut off: no progress,          20 ready; 30 cutOff; 60 cutOff; 90 ready; 120 ready, Soaking
          cut off: it continues after,    40 ready; 45 cutOff; 99 ready; 129 ready,       Soaked
          bad when it is back,           20 cutOff; 99 unready; 129 unready,             RollingBack
          four breaks,                   11 unready; 12 ready; 13 unready; 14 ready; 15 unready; 16 ready; 17 unready, RollingBack
          three breaks,                  11 unready; 12 ready; 13 unready; 14 ready; 15 unready; 16 ready, Soaking
          """)
  void probes_decideTheSoak(String scenario, String events, String state) {
    Node node = after(idle(), SOAKING + ", " + events.replace(';', ','));
    assertEquals(state, name(node), scenario);
  }

  @Test
  void releaseThatIsNeverReady_getsTheHealthWait() {
    String start = APPLYING + ", 2 checkPassed, 3 swapped, 3 unready, 20 unready";
    assertEquals("Soaking", name(after(idle(), start + ", 32 unready")));
    assertEquals("RollingBack", name(after(idle(), start + ", 33 unready")));
  }

  @Test
  void crashes_breakTheSoakAndCountEvenWhileCutOff() {
    Node node = after(idle(), SOAKING);
    for (int restarts = 1; restarts <= SoakHealth.MAX_RELAPSES; restarts++) {
      node = afterCrash(node, restarts, 10 + restarts);
      assertEquals("Soaking", name(node));
      assertEquals(node, afterCrash(node, restarts, 10 + restarts), "reported twice, counted once");
    }
    assertEquals("RollingBack", name(afterCrash(node, 4, 20)));
    assertEquals(
        RollbackReason.UNHEALTHY,
        Node.report(afterCrash(node, 4, 20)).orElseThrow().rollbackReason());
  }

  @Test
  void restartBetweenTwoReadyProbes_restartsTheSoak() {
    Node node = after(idle(), SOAKING + ", 30 ready, 50 ready");
    node =
        Node.next(
            node, new Probed(new ProbeResult(State.READY, 1), StoreLink.CONNECTED), seconds(69));
    node =
        Node.next(
            node, new Probed(new ProbeResult(State.READY, 1), StoreLink.CONNECTED), seconds(71));
    assertEquals("Soaking", name(node));
  }

  @Test
  void unreadyAfterTheSoak_rollsBackBeforeTheConfirm() {
    Node node = after(idle(), SOAKED + ", 80 unready, 100 unready, 110 unready");
    assertEquals("RollingBack", name(node));
    assertEquals(RollbackReason.UNHEALTHY, Node.report(node).orElseThrow().rollbackReason());
  }

  /// A node that was cut off cannot say that its release failed.
  @ParameterizedTest
  @CsvSource({"290 unready, UNHEALTHY", "290 cutOff, UNCONFIRMED", "290 ready, UNCONFIRMED"})
  void deadlineInTheSoak_blamesOnlyAReleaseThatWasUnready(
      String last, RollbackReason rollbackReason) {
    Node node = after(idle(), APPLYING + ", 280 swapped, 281 unready, " + last + ", 302 ticked");
    assertEquals(rollbackReason, Node.report(node).orElseThrow().rollbackReason());
  }

  @Test
  void nextProbe_isWhenTheSoakCouldEnd() {
    assertEquals(OptionalLong.of(seconds(20)), Node.wakeAt(after(idle(), SOAKING)));
    Node late = after(idle(), SOAKING + ", 36 ready, 66 ready");
    assertEquals(OptionalLong.of(seconds(70)), Node.wakeAt(late));
  }

  private static Node afterCrash(Node node, int restarts, long at) {
    Probed probed = new Probed(new ProbeResult(State.NOT_READY, restarts), StoreLink.CUT_OFF);
    return Node.next(node, probed, seconds(at));
  }
}
