package keyfleet.wire;

import static keyfleet.wire.WireFixtures.AGENT;
import static keyfleet.wire.WireFixtures.CLAIM;
import static keyfleet.wire.WireFixtures.OLD;
import static keyfleet.wire.WireFixtures.RELEASE;
import static keyfleet.wire.WireFixtures.SPEC;
import static keyfleet.wire.WireFixtures.TASK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.Platform;
import keyfleet.rollout.ReleaseVersion;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.controller.FailureLimit;
import keyfleet.rollout.controller.NodeEntry;
import keyfleet.rollout.controller.NodeProgress;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutLimits;
import keyfleet.rollout.controller.RolloutProgress;
import keyfleet.rollout.controller.RolloutRun;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.controller.RolloutTimings;
import keyfleet.rollout.controller.StopCause;
import keyfleet.rollout.controller.StopOrder;
import keyfleet.rollout.node.ClockReading;
import keyfleet.rollout.node.JournalEntry;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.NodeBaseline;
import keyfleet.rollout.node.NodeTask;
import keyfleet.rollout.node.NodeTask.Direction;
import keyfleet.rollout.node.ProbeResult.State;
import keyfleet.rollout.node.Quarantine;
import keyfleet.rollout.node.SoakHealth;
import keyfleet.rollout.node.SoakHealth.StoreLink;
import keyfleet.rollout.node.TaskHistoryEntry;
import keyfleet.rollout.plan.EligibilityRules;
import keyfleet.rollout.plan.EligibilityRules.DegradedNodes;
import keyfleet.rollout.plan.ExcludedNode;
import keyfleet.rollout.plan.FailureDomains;
import keyfleet.rollout.plan.RolloutPlan;
import keyfleet.rollout.release.OfferedRelease;
import keyfleet.rollout.release.VersionPattern;
import keyfleet.rollout.target.Facts;
import keyfleet.store.Document;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RolloutDocumentsTest {
  private static final List<ExcludedNode> EXCLUDED =
      List.of(
          new ExcludedNode(new NodeId("x"), new ExcludedNode.Degraded()),
          new ExcludedNode(new NodeId("y"), new ExcludedNode.FactUnknown()),
          new ExcludedNode(new NodeId("z"), new ExcludedNode.HeldBack("pinned")),
          new ExcludedNode(new NodeId("z1"), new ExcludedNode.Quarantined(3)),
          new ExcludedNode(new NodeId("z2"), new ExcludedNode.WrongPlatform()),
          new ExcludedNode(new NodeId("z3"), new ExcludedNode.ProtocolTooOld(1, 2)),
          new ExcludedNode(new NodeId("z4"), new ExcludedNode.UnreadableStatus()),
          new ExcludedNode(new NodeId("z5"), new ExcludedNode.NotTargeted()),
          new ExcludedNode(
              new NodeId("z6"), new ExcludedNode.NotAllowedFrom(new ReleaseVersion("0.9"))));

  private static RolloutRun rolloutRun() {
    TreeMap<NodeId, NodeEntry> nodeEntries = new TreeMap<>();
    for (NodeProgress nodeProgress : NodeProgress.values()) {
      nodeEntries.put(new NodeId("n-" + nodeProgress), new NodeEntry(nodeProgress, 1));
    }
    nodeEntries.put(new NodeId("again"), new NodeEntry(NodeProgress.WAITING, 3));
    return RolloutRun.of(SPEC, CLAIM, new RolloutProgress(1, 1, nodeEntries, EXCLUDED));
  }

  static Stream<Rollout> states() {
    return Stream.of(
        new Rollout.Created(RolloutRun.of(SPEC, DriverClaim.NONE, RolloutProgress.EMPTY)),
        new Rollout.Rolling(rolloutRun()),
        new Rollout.Paused(rolloutRun(), StopCause.INFRASTRUCTURE),
        new Rollout.Aborting(rolloutRun(), new StopOrder(Goal.REVERTED, 8, StopCause.FAILURES)),
        new Rollout.Aborted(rolloutRun(), StopCause.OPERATOR),
        new Rollout.RolledBack(rolloutRun()),
        new Rollout.Completed(rolloutRun()));
  }

  @ParameterizedTest
  @MethodSource("states")
  void rollout_survivesARoundTrip(Rollout rollout) {
    assertEquals(
        rollout,
        RolloutControlDocument.parse(SPEC, RolloutControlDocument.toValue(rollout, "nonce")));
  }

  @Test
  void spec_survivesARoundTrip() {
    RolloutPlan rolloutPlan = SPEC.plan();
    RolloutPlan full =
        new RolloutPlan(
            rolloutPlan.release(),
            rolloutPlan.target(),
            rolloutPlan.canaries(),
            rolloutPlan.batches(),
            List.of(new NodeId("off")),
            EXCLUDED,
            new FailureDomains.Limited("zone", 2),
            OLD);
    OfferedRelease offeredRelease =
        new OfferedRelease(
            rolloutPlan.release(),
            3,
            7,
            Set.of(new Platform("linux/amd64")),
            List.of(new VersionPattern("1.*")));
    EligibilityRules eligibilityRules =
        new EligibilityRules(
            rolloutPlan.target(),
            offeredRelease,
            DegradedNodes.INCLUDED,
            Map.of(new NodeId("p"), "pinned"));
    RolloutLimits rolloutLimits =
        new RolloutLimits(2, new FailureLimit.Percent(5), new FailureLimit.Nodes(1), 1, 2);
    RolloutSpec spec =
        new RolloutSpec(
            SPEC.id(),
            "i",
            eligibilityRules,
            SPEC.component(),
            full,
            rolloutLimits,
            SPEC.timings());
    assertEquals(spec, RolloutSpecDocument.parse(RolloutSpecDocument.toValue(spec)));
  }

  /// Documents of older versions have no admission and no health wait.
  @Test
  void olderDocuments_areRead() {
    String text = RolloutSpecDocument.toValue(SPEC).text();
    int from = text.indexOf("\"admission\"");
    String older = text.substring(0, from) + text.substring(text.indexOf("\"plan\"", from));
    assertEquals(SPEC, RolloutSpecDocument.parse(Value.of(older)));
    String task = DocumentFields.toDocument(TASK).toValue().text().replace("health_wait", "x");
    assertEquals(
        RolloutTimings.DEFAULT_HEALTH_WAIT,
        DocumentFields.task(Document.parse(Value.of(task))).healthWait());
  }

  @Test
  void profile_survivesARoundTrip() {
    NodeProfile profile =
        new NodeProfile(
            new Facts(Map.of("os.family", List.of("linux"), "gpu", List.of())),
            new Quarantine(new TreeMap<>(Map.of(RELEASE, 4))));
    assertEquals(profile, NodeProfile.parse(profile.toValue()));
  }

  @Test
  void editedPlan_isRefused() { // I11
    String text =
        RolloutSpecDocument.toValue(SPEC).text().replace("[\"b\",\"c\"]", "[\"b\",\"d\"]");
    assertThrows(MalformedValueException.class, () -> RolloutSpecDocument.parse(Value.of(text)));
  }

  @Test
  void controlRecordOfAnotherIncarnation_isRefused() { // R24
    RolloutSpec other =
        new RolloutSpec(
            SPEC.id(), "other", 1, SPEC.component(), SPEC.plan(), SPEC.limits(), SPEC.timings());
    Value value = RolloutControlDocument.toValue(new Rollout.Rolling(rolloutRun()), "nonce");
    assertThrows(MalformedValueException.class, () -> RolloutControlDocument.parse(other, value));
  }

  @Test
  void desiredStateAndReport_surviveARoundTrip() {
    DesiredState desiredState = new DesiredState(TASK, Goal.APPLIED, CLAIM, 42);
    assertEquals(
        desiredState, DesiredStateDocument.parse(DesiredStateDocument.toValue(desiredState)));
    NodeReport report =
        new NodeReport(
            new NodeId("a.b"),
            TASK,
            NodePhase.ROLLED_BACK,
            RollbackReason.REFUSED,
            CLAIM,
            RELEASE,
            List.of("expired", "protocol 1 < 2"));
    String text = NodeReportDocument.toValue(report).text();
    assertEquals(report, NodeReportDocument.parse(Value.of(text)));
    String older = text.replace("\"reasons\"", "\"x\"");
    assertEquals(List.of(), NodeReportDocument.parse(Value.of(older)).reasons());
  }

  static Stream<Node> nodes() {
    TaskHistoryEntry taskHistoryEntry =
        new TaskHistoryEntry(
            TASK, OLD, CLAIM, Direction.TURNED, NodePhase.ROLLED_BACK, RollbackReason.UNHEALTHY);
    NodeBaseline nodeBaseline =
        new NodeBaseline(new NodeId("n"), AGENT, OLD, RELEASE, List.of(taskHistoryEntry));
    NodeTask nodeTask = new NodeTask(nodeBaseline, TASK, OLD, CLAIM, Direction.FORWARD);
    SoakHealth soakHealth = new SoakHealth(State.READY, StoreLink.CONNECTED, 50, 40, 0, 2, 1);
    return Stream.of(
        new Node.Idle(nodeBaseline),
        new Node.Preparing(nodeTask),
        new Node.Staged(nodeTask),
        new Node.Applying(nodeTask, Node.Check.PASSED, 900),
        new Node.Soaking(nodeTask, soakHealth, 900),
        new Node.Soaked(nodeTask, soakHealth, -7),
        new Node.Confirmed(nodeTask),
        new Node.RollingBack(nodeTask, Node.Undo.SWAP_BACK, RollbackReason.REFUSED, List.of("no")),
        new Node.RolledBack(nodeTask, RollbackReason.UNHEALTHY, List.of()),
        new Node.Reverted(nodeTask));
  }

  @ParameterizedTest
  @MethodSource("nodes")
  void journalEntry_survivesARoundTrip(Node node) { // R5
    JournalEntry entry =
        new JournalEntry(node, new ClockReading("boot", 100, Instant.ofEpochSecond(1, 5)));
    assertEquals(entry, JournalEntryDocument.parse(JournalEntryDocument.toValue(entry)));
  }

  @Test
  void tenThousandConfirmedNodes_addNothingToTheControlRecord() {
    List<NodeId> nodes =
        IntStream.range(0, 10_000)
            .mapToObj(i -> new NodeId("node-%05d.example".formatted(i)))
            .toList();
    RolloutPlan rolloutPlan =
        new RolloutPlan(
            RELEASE,
            SPEC.plan().target(),
            List.of(),
            IntStream.range(0, 100).mapToObj(i -> nodes.subList(i * 100, i * 100 + 100)).toList(),
            List.of(),
            List.of());
    RolloutSpec spec =
        new RolloutSpec(
            SPEC.id(),
            "i",
            1,
            SPEC.component(),
            rolloutPlan,
            new RolloutLimits(100, 5, 2, 10),
            SPEC.timings());
    assertEquals(spec, RolloutSpecDocument.parse(RolloutSpecDocument.toValue(spec)));
    RolloutRun rolloutRun =
        RolloutRun.of(spec, CLAIM, new RolloutProgress(99, 99, new TreeMap<>()));
    int bytes =
        RolloutControlDocument.toValue(new Rollout.Rolling(rolloutRun), "nonce").bytes().length();
    assertTrue(bytes < 1_000, () -> bytes + " bytes");
    long confirmed =
        rolloutRun.progress().progressByNode(spec).values().stream()
            .filter(NodeProgress.CONFIRMED::equals)
            .count();
    assertEquals(9_900, confirmed);
  }
}
