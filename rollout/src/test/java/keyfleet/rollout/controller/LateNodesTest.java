package keyfleet.rollout.controller;

import static keyfleet.rollout.RolloutFixtures.facts;
import static keyfleet.rollout.RolloutFixtures.status;
import static keyfleet.rollout.RolloutFixtures.target;
import static keyfleet.rollout.controller.ControllerFixtures.START;
import static keyfleet.rollout.controller.ControllerFixtures.TIMINGS;
import static keyfleet.rollout.controller.ControllerFixtures.ids;
import static keyfleet.rollout.controller.ControllerFixtures.limits;
import static keyfleet.rollout.controller.ControllerFixtures.plan;
import static keyfleet.rollout.controller.ControllerFixtures.progress;
import static keyfleet.rollout.controller.ControllerFixtures.report;
import static keyfleet.rollout.controller.ControllerFixtures.rolling;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import keyfleet.rollout.Component;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.Platform;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.controller.Rollout.Completed;
import keyfleet.rollout.controller.RolloutEvent.Observed;
import keyfleet.rollout.node.Quarantine;
import keyfleet.rollout.plan.EligibilityRules;
import keyfleet.rollout.plan.EligibilityRules.DegradedNodes;
import keyfleet.rollout.plan.ExcludedNode;
import keyfleet.rollout.plan.NodeStatus;
import keyfleet.rollout.plan.RolloutPlan;
import keyfleet.rollout.release.OfferedRelease;
import keyfleet.rollout.release.VersionPattern;
import keyfleet.rollout.target.Facts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Nodes that come late or come back (R16): `x` was offline when the plan was made; all others but
/// `a` and `b` were not enrolled.
final class LateNodesTest {
  private static final Platform LINUX = new Platform("linux/amd64");
  private static final List<VersionPattern> FROM = List.of(new VersionPattern("1.*"));

  private Duration now = START;
  private Rollout rollout = rolling(spec("a or x or L@l1,l2 or G@zone:1", DegradedNodes.EXCLUDED));

  private static RolloutSpec spec(String target, DegradedNodes degraded) {
    return spec("| a", target, degraded, 0);
  }

  private static RolloutSpec spec(
      String batches, String target, DegradedNodes degraded, int unavailable) {
    RolloutPlan template = plan(batches, "x");
    RolloutPlan plan =
        new RolloutPlan(
            template.release(),
            target(target),
            template.canaries(),
            template.batches(),
            template.offline(),
            template.excluded());
    EligibilityRules eligibility =
        new EligibilityRules(
            plan.target(),
            new OfferedRelease(plan.release(), 1, 2, Set.of(LINUX), FROM),
            degraded,
            Map.of(new NodeId("l2"), "pinned"));
    return new RolloutSpec(
        ControllerFixtures.ID,
        "i",
        eligibility,
        new Component("agent"),
        plan,
        limits(2, 2, unavailable),
        TIMINGS);
  }

  /// `others` are as in [RolloutFixtures#status], separated by bars; they are on linux and run 1.0
  /// unless the text says otherwise. `a` is always present and healthy.
  private void observe(String others, NodeReport... reports) {
    observeNodes(("a 2 | " + others).split("\\|", -1), reports);
  }

  private void observeNodes(String[] nodes, NodeReport... reports) {
    List<NodeStatus> statuses =
        Arrays.stream(nodes).filter(it -> !it.isBlank()).map(it -> lateStatus(it.strip())).toList();
    Set<NodeId> present = statuses.stream().map(NodeStatus::node).collect(Collectors.toSet());
    rollout = Rollout.next(rollout, new Observed(present, List.of(reports), statuses), now);
  }

  private static NodeStatus lateStatus(String text) {
    NodeStatus status = status(text.replaceAll(" (bsd|nowhere|bad|old)", ""));
    Facts facts =
        facts(
            (text.contains("bsd") ? "platform=bsd/amd64" : "platform=linux/amd64")
                + (text.contains("nowhere") ? "" : ";zone=" + text.charAt(0)));
    NodeStatus.Report report = status.report();
    if (report instanceof NodeStatus.Reported(var health, int protocol, _, _)) {
      ReleaseVersion version = new ReleaseVersion(text.contains("old") ? "0.9" : "1.0");
      Quarantine quarantine =
          text.contains("bad")
              ? new Quarantine(new TreeMap<>(Map.of(ControllerFixtures.NEW, 1)))
              : Quarantine.NONE;
      report = new NodeStatus.Reported(health, protocol, version, quarantine);
    }
    return new NodeStatus(status.node(), status.presence(), report, facts);
  }

  private void passFirstBatch(String late) {
    observe(late);
    observe(late, report("a", 1, NodePhase.CONFIRMED, RollbackReason.NONE, 1));
    observe(late);
  }

  @ParameterizedTest
  @CsvSource({
    "x 2, PREPARING, ''",
    "l1 2, PREPARING, ''",
    "1node 2, PREPARING, ''",
    "x 1, EXCLUDED, x (protocol 1 < 2)",
    "l1 1, EXCLUDED, l1 (protocol 1 < 2)",
    "x 2 degraded, EXCLUDED, x (degraded)",
    "x 2 bsd, EXCLUDED, 'x (of another platform, or of none that it says)'",
    "x 2 old, EXCLUDED, x (not allowed from version 0.9)",
    "x unreadable, EXCLUDED, x (unreadable status)",
    "x 2 bad, EXCLUDED, x (quarantined: it rolled this release back in attempt 1)",
    "l2 2, EXCLUDED, l2 (pinned)",
    "q 2 nowhere, EXCLUDED, q (a fact of the target is unknown)"
  })
  void lateNode_isCheckedAsInPreflight(String late, NodeProgress expected, String excluded) {
    passFirstBatch(late);
    assertEquals(expected, progress(rollout, late.split(" ", -1)[0]));
    assertEquals(excluded, String.join(",", excludedTexts()));
  }

  @Test
  void lateNodeOutsideTheTarget_isInNoSet() {
    passFirstBatch("z 2");
    assertEquals(Set.copyOf(ids("a x")), progressByNode().keySet());
  }

  /// `b` was away when its batch continued, and may have changed since.
  @ParameterizedTest
  @CsvSource({
    "b 2, PREPARING, ''",
    "b 1, EXCLUDED, b (protocol 1 < 2)",
    "b 2 degraded, EXCLUDED, b (degraded)",
    "b 2 bsd, EXCLUDED, 'b (of another platform, or of none that it says)'",
    "b 2 old, EXCLUDED, b (not allowed from version 0.9)",
    "b 2 bad, EXCLUDED, b (quarantined: it rolled this release back in attempt 1)",
    "b unreadable, EXCLUDED, b (unreadable status)",
    "b 2 nowhere, EXCLUDED, b (a fact of the target is unknown)"
  })
  void nodeThatReturns_isCheckedAgain(String returns, NodeProgress expected, String excluded) {
    rollout = rolling(spec("| a b", "a or G@zone:b", DegradedNodes.EXCLUDED, 1));
    passFirstBatch("");
    assertEquals(NodeProgress.WAITING, progress(rollout, "b"));
    observe(returns);
    assertEquals(expected, progress(rollout, "b"));
    assertEquals(excluded, String.join(",", excludedTexts()));
  }

  private List<String> excludedTexts() {
    return rollout.run().progress().excluded().stream().map(ExcludedNode::toString).toList();
  }

  @Test
  void nodeWhoseFactsChanged_isExcluded() {
    rollout = rolling(spec("| a b", "a or G@zone:c", DegradedNodes.EXCLUDED, 1));
    observe("b 2");
    assertEquals(List.of("b (the target does not take it any more)"), excludedTexts());
  }

  @Test
  void nodeThatIsDegradedAtItsStart_isExcludedAndTheBatchContinues() {
    rollout = rolling(spec("| a | b", "*", DegradedNodes.EXCLUDED, 0));
    passFirstBatch("b 2");
    assertEquals(NodeProgress.PENDING, progress(rollout, "b"));
    now = now.plus(TIMINGS.batchPause());
    observe("b 2 degraded");
    assertEquals(List.of("b (degraded)"), excludedTexts());
    assertEquals(2, rollout.run().progress().passedBatches());
  }

  @Test
  void candidateWithoutStatus_waitsForTheNextObservation() {
    rollout = Rollout.next(rollout, new Observed(Set.copyOf(ids("a")), List.of(), List.of()), now);
    assertEquals(NodeProgress.PENDING, progress(rollout, "a"));
    observe("");
    assertEquals(NodeProgress.PREPARING, progress(rollout, "a"));
  }

  @Test
  void excludedCanary_leavesTheTestToTheOthers() { // R14
    rollout = rolling(spec("a b | c", "*", DegradedNodes.EXCLUDED, 0));
    observe("b 2 degraded | c 2");
    observe("b 2 | c 2", report("a", 1, NodePhase.CONFIRMED, RollbackReason.NONE, 1));
    assertEquals(1, rollout.run().progress().passedBatches());
  }

  @Test
  void rolloutWithoutCanaries_isHeld() { // R14
    rollout = rolling(spec("a | c", "*", DegradedNodes.EXCLUDED, 0));
    observeNodes(new String[] {"a 2 degraded", "c 2"});
    assertEquals(NodeProgress.PENDING, progress(rollout, "c"));
    assertTrue(Rollout.holdReason(rollout).orElse("").startsWith("no canary is left"));
  }

  /// One place decides which nodes are checked, for every loop.
  @Test
  void candidates_areTheNodesThatCanStart() {
    rollout = rolling(spec("| a b | c", "*", DegradedNodes.EXCLUDED, 1));
    Set<NodeId> all = Set.copyOf(ids("a b c x s"));
    assertEquals(Set.copyOf(ids("a b x s")), rollout.run().startCandidates(all));
    passFirstBatch("");
    assertEquals(Set.copyOf(ids("b c x s")), rollout.run().startCandidates(all));
  }

  private Map<NodeId, NodeProgress> progressByNode() {
    return rollout.run().progress().progressByNode(rollout.run().spec());
  }

  @Test
  void includedDegraded_start() { // R17
    rollout = rolling(spec("*", DegradedNodes.INCLUDED));
    passFirstBatch("x 2 degraded");
    assertEquals(NodeProgress.PREPARING, progress(rollout, "x"));
  }

  @Test
  void lateNode_waitsForTheFirstBatchAndIsCheckedThen() {
    observe("l1 2");
    assertEquals(NodeProgress.PENDING_OFFLINE, progress(rollout, "l1"), "seen, and in one set");
    passFirstBatch("l1 2 degraded");
    assertEquals(NodeProgress.EXCLUDED, progress(rollout, "l1"));
  }

  @Test
  void lateNodeThatLeaves_isNotUnreachable() {
    observe("l1 2");
    passFirstBatch("");
    assertEquals("Optional.empty", Rollout.holdReason(rollout).toString());
    assertEquals(NodeProgress.PENDING_OFFLINE, progress(rollout, "l1"));
    observe("x 2 | l1 2");
    assertEquals(NodeProgress.PREPARING, progress(rollout, "l1"));
  }

  @Test
  void lateNodes_areRefusedAfterTheLateNodeWait() {
    passFirstBatch("x 2");
    while (now.compareTo(START.plus(TIMINGS.lateNodeWait())) < 0) {
      now = now.plus(TIMINGS.staleAfter());
      observe("x 2");
    }
    observe("x 2 | l1 2");
    assertEquals(Set.copyOf(ids("a x")), progressByNode().keySet(), "l1 comes too late");
    observe("x 2 | l1 2", report("x", 1, NodePhase.CONFIRMED, RollbackReason.NONE, 1));
    assertInstanceOf(Completed.class, rollout);
  }
}
