package keyfleet.rollout.plan;

import static keyfleet.rollout.RolloutFixtures.eligibility;
import static keyfleet.rollout.RolloutFixtures.facts;
import static keyfleet.rollout.RolloutFixtures.inventory;
import static keyfleet.rollout.RolloutFixtures.node;
import static keyfleet.rollout.RolloutFixtures.nodes;
import static keyfleet.rollout.RolloutFixtures.offeredRelease;
import static keyfleet.rollout.RolloutFixtures.status;
import static keyfleet.rollout.RolloutFixtures.target;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import keyfleet.rollout.Platform;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.node.Quarantine;
import keyfleet.rollout.plan.EligibilityRules.DegradedNodes;
import keyfleet.rollout.plan.Preflight.NoEligibleNodes;
import keyfleet.rollout.plan.Preflight.Passed;
import keyfleet.rollout.plan.Preflight.Refused;
import keyfleet.rollout.release.OfferedRelease;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PreflightTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      textBlock =
          """
          * ! 0 ! a degraded; b degraded       ! no eligible nodes (2 degraded excluded)
          x ! 0 ! a; b degraded                ! no eligible nodes (0 degraded excluded)
          * ! 0 ! a offline                    ! no eligible nodes (0 degraded excluded)
          * ! 0 ! a offline; b degraded        ! no eligible nodes (1 degraded excluded)
          * ! 2 ! a 1; b 2; c 3                ! a (protocol 1 < 2)
          * ! 2 ! c 1; b missing; a; d 2       ! a (protocol 0 < 2), b (protocol 0 < 2), c (protocol 1 < 2)
          * ! 1 ! a degraded; b 1; c unreadable ! unreadable status: c
          * ! 0 ! b unreadable; a offline unreadable; c ! unreadable status: a, b
          """)
  void refusal_hasItsDescription(String target, int minProtocol, String nodes, String description) {
    Preflight preflight = Preflight.of(eligibility(target, minProtocol), inventory(nodes));
    assertEquals(description, assertInstanceOf(Refused.class, preflight).description());
  }

  /// Columns: target, min protocol and inventory, then the ids that are eligible, offline, and
  /// excluded.
  @ParameterizedTest
  @CsvSource(
      delimiter = '!',
      textBlock =
          """
          * ! 0 ! b; a missing; c 7                ! a b c !       !
          * ! 2 ! a 2; b 1 degraded                ! a     !       ! b (degraded)
          * ! 2 ! a 2; b 1 offline                 ! a     ! b     !
          * ! 2 ! a 2; b offline degraded          ! a     ! b     !
          a ! 0 ! a; b unreadable                  ! a     !       !
          """)
  void passed_listsEveryTargetedNodeOnce(
      String target, int minProtocol, String nodes, String eligible, String offline, String out) {
    Preflight preflight = Preflight.of(eligibility(target, minProtocol), inventory(nodes));
    Passed passed = assertInstanceOf(Passed.class, preflight, preflight::toString);
    assertEquals(eligible, ids(passed.eligible()));
    assertEquals(offline == null ? "" : offline, ids(passed.offline()));
    assertEquals(
        out == null ? "" : out,
        String.join(" ", passed.excluded().stream().map(ExcludedNode::toString).toList()));
  }

  private static String ids(List<NodeStatus> nodes) {
    return String.join(" ", nodes.stream().map(status -> status.node().value()).toList());
  }

  @Test
  void includedDegraded_areEligible() {
    EligibilityRules repair =
        new EligibilityRules(target("*"), offeredRelease(0), DegradedNodes.INCLUDED, Map.of());
    Passed passed =
        assertInstanceOf(Passed.class, Preflight.of(repair, inventory("a degraded; b")));
    assertEquals("a b", ids(passed.eligible()));
  }

  /// R17; also, a node would refuse a release that is built for another platform.
  @Test
  void quarantinedAndWrongPlatform_areExcluded() {
    Sha256 release = offeredRelease(0).release();
    NodeStatus bad = status("bad");
    NodeStatus quarantined =
        new NodeStatus(
            bad.node(),
            bad.presence(),
            new NodeStatus.Reported(
                NodeStatus.Health.HEALTHY,
                1,
                ReleaseVersion.NONE,
                new Quarantine(new TreeMap<>(Map.of(release, 2)))),
            facts("platform=linux/amd64"));
    NodeStatus good =
        new NodeStatus(node("a"), bad.presence(), bad.report(), facts("platform=linux/amd64"));
    OfferedRelease offeredRelease =
        new OfferedRelease(release, 2, 0, Set.of(new Platform("linux/amd64")), List.of());
    for (int attempt : new int[] {1, 2, 3}) {
      EligibilityRules eligibility =
          EligibilityRules.of(target("*"), offeredRelease.withAttempt(attempt));
      Passed passed =
          assertInstanceOf(
              Passed.class, Preflight.of(eligibility, List.of(quarantined, good, status("c"))));
      assertEquals(attempt < 3 ? "a" : "a bad", ids(passed.eligible()));
      assertEquals(
          (attempt < 3 ? "[bad (quarantined: it rolled this release back in attempt 2), " : "[")
              + "c (of another platform, or of none that it says)]",
          passed.excluded().toString());
    }
  }

  @Test
  void heldBack_isExcludedEvenIfUnreadable() {
    EligibilityRules without =
        new EligibilityRules(
            target("*"),
            offeredRelease(0),
            DegradedNodes.EXCLUDED,
            Map.of(node("b"), "quarantined after 1.4"));
    Passed passed =
        assertInstanceOf(Passed.class, Preflight.of(without, inventory("a; b unreadable")));
    assertEquals("[b (quarantined after 1.4)]", passed.excluded().toString());
  }

  @Test
  void unknownFact_isExcludedEvenWithNot() {
    NodeStatus known = status("a");
    NodeStatus linux =
        new NodeStatus(known.node(), known.presence(), known.report(), facts("os=linux"));
    for (String text : List.of("G@os:linux", "not G@os:bsd")) {
      Passed passed =
          assertInstanceOf(
              Passed.class, Preflight.of(eligibility(text, 0), List.of(status("b"), linux)));
      assertEquals("a", ids(passed.eligible()));
      assertEquals("[b (a fact of the target is unknown)]", passed.excluded().toString());
    }
  }

  @Test
  void refusalWithoutEligibleNodes_listsTheExcludedOnes() {
    Preflight preflight = Preflight.of(eligibility("*", 0), inventory("b degraded; a offline"));
    NoEligibleNodes refused = assertInstanceOf(NoEligibleNodes.class, preflight);
    assertEquals(nodes("a"), refused.offline());
    assertEquals("[b (degraded)]", refused.excluded().toString());
  }

  @Test
  void duplicateNodeInTheInventory_isRejected() {
    assertThrows(
        IllegalArgumentException.class,
        () -> Preflight.of(eligibility("*", 0), inventory("a; a offline")));
  }
}
