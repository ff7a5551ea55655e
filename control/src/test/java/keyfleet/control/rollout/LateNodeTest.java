package keyfleet.control.rollout;

import static keyfleet.control.rollout.RolloutTestFleet.AGENT;
import static keyfleet.control.rollout.RolloutTestFleet.RELEASE;
import static keyfleet.control.rollout.RolloutTestFleet.spec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.List;
import java.util.Map;
import java.util.Set;
import keyfleet.control.CrashAtFailpoint;
import keyfleet.control.CrashAtFailpoint.Crashed;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.control.PauseAtFailpoint.Side;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.controller.NodeProgress;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutLimits;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.plan.EligibilityRules;
import keyfleet.rollout.plan.ExcludedNode;
import keyfleet.rollout.plan.Preflight;
import keyfleet.rollout.release.OfferedRelease;
import keyfleet.rollout.release.VersionPattern;
import keyfleet.store.Bucket;
import keyfleet.store.Value;
import keyfleet.wire.RolloutKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Nodes that appear after the plan was made (R16), and nodes that have rolled a release back
/// (R17).
class LateNodeTest {
  private static final RolloutId R1 = new RolloutId("r1");
  private static final RolloutId R2 = new RolloutId("r2");

  private final RolloutTestFleet fleet = new RolloutTestFleet("a b");
  private final RolloutOperations operations = fleet.operations();
  private final RolloutLoop driver = fleet.driver("first");

  private Map<NodeId, NodeProgress> standings(String id) {
    var rolloutRun = fleet.rollout(id).run();
    return rolloutRun.progress().progressByNode(rolloutRun.spec());
  }

  private void start(String target, int maxFailed) {
    operations.start(spec("r1", target, "", "a b", new RolloutLimits(2, maxFailed, 0, 1)));
    fleet.step(driver);
    fleet.step(driver);
  }

  @Test
  void nodeEnrolledLater_getsTheRelease() {
    start("*", 1);
    fleet.addNodes("c");
    fleet.run("r1", driver);
    fleet.assertCompleted("r1");
    assertEquals(NodeProgress.CONFIRMED, standings("r1").get(new NodeId("c")));
  }

  @Test
  void nodeOutsideTheFrozenTarget_isIgnored() {
    start("L@a,b", 1);
    fleet.addNodes("c");
    fleet.run("r1", driver);
    assertInstanceOf(Rollout.Completed.class, fleet.rollout("r1"));
    assertNull(standings("r1").get(new NodeId("c")));
  }

  @Test
  void degradedLateNode_isExcludedWithTheReason() { // I10
    start("*", 1);
    fleet.addNodes("c");
    fleet.node("c").degrade();
    fleet.run("r1", driver);
    assertInstanceOf(Rollout.Completed.class, fleet.rollout("r1"));
    assertEquals(NodeProgress.EXCLUDED, standings("r1").get(new NodeId("c")));
    assertEquals(
        List.of(new ExcludedNode(new NodeId("c"), new ExcludedNode.Degraded())),
        fleet.rollout("r1").run().progress().excluded());
  }

  @Test
  void unreadableLateNode_isExcluded() {
    start("*", 1);
    fleet.addNodes("c");
    fleet.step(driver);
    fleet.dead.add(new NodeId("c"));
    fleet.kv.put(RolloutKeys.NODES, RolloutKeys.ofNode(AGENT, new NodeId("c")), Value.of("{"));
    fleet.run("r1", driver);
    assertEquals(
        "[c (unreadable status)]", fleet.rollout("r1").run().progress().excluded().toString());
  }

  /// R16: `b` is offline while its batch is rolled out.
  @ParameterizedTest
  @CsvSource({"1, 1.0, protocol 1 < 2", "2, 0.9, not allowed from version 0.9"})
  void nodeThatReturnsChanged_isExcludedWithTheReason(int protocol, String version, String why) {
    fleet.dead.add(new NodeId("b"));
    operations.start(withOffer(spec("r1", "*", "", "a b", new RolloutLimits(2, 1, 1, 1))));
    stepUntilWaiting("b");
    fleet.node("b").reappearAs(protocol, version);
    fleet.dead.clear();
    fleet.run("r1", driver);
    assertInstanceOf(Rollout.Completed.class, fleet.rollout("r1"));
    assertEquals("[b (" + why + ")]", fleet.rollout("r1").run().progress().excluded().toString());
    assertEquals(0, fleet.node("b").swaps());
  }

  @Test
  void nodeThatReturnsUnchanged_getsTheRelease() { // R16
    fleet.dead.add(new NodeId("b"));
    operations.start(withOffer(spec("r1", "*", "", "a b", new RolloutLimits(2, 1, 1, 1))));
    stepUntilWaiting("b");
    fleet.dead.clear();
    fleet.run("r1", driver);
    fleet.assertCompleted("r1");
  }

  private void stepUntilWaiting(String node) {
    for (int i = 0; i < RolloutTestFleet.MAX_STEPS; i++) {
      if (standings("r1").get(new NodeId(node)) == NodeProgress.WAITING) {
        return;
      }
      fleet.step(driver);
    }
    fail(node + " did not become waiting");
  }

  private static RolloutSpec withOffer(RolloutSpec spec) {
    OfferedRelease offeredRelease =
        new OfferedRelease(RELEASE, 1, 2, Set.of(), List.of(new VersionPattern("1.*")));
    return new RolloutSpec(
        spec.id(),
        spec.incarnation(),
        EligibilityRules.of(spec.plan().target(), offeredRelease),
        spec.component(),
        spec.plan(),
        spec.limits(),
        spec.timings());
  }

  /// A node with a malformed heartbeat or profile makes preflight refuse and name it; the others
  /// stay readable.
  @ParameterizedTest
  @ValueSource(strings = {"update-status", "update-nodes"})
  void unreadableNode_isNamedByPreflight(String bucket) {
    start("*", 1);
    Bucket malformed = bucket.equals("update-nodes") ? RolloutKeys.NODES : RolloutKeys.STATUS;
    fleet.kv.put(malformed, RolloutKeys.ofNode(AGENT, new NodeId("b")), RolloutTestFleet.MALFORMED);
    Preflight.Refused refused = assertInstanceOf(Preflight.Refused.class, preflight(1));
    assertEquals("unreadable status: b", refused.description());
    assertEquals(2, new NodeRegistry(fleet.kv, Failpoints.NONE).readInventory(AGENT).size());
  }

  private Preflight preflight(int attempt) {
    var target = fleet.rollout("r1").run().spec().plan().target();
    return Preflight.of(
        EligibilityRules.of(target, OfferedRelease.of(RELEASE, attempt)),
        new NodeRegistry(fleet.kv, Failpoints.NONE).readInventory(AGENT));
  }

  @Test
  void nodeThatRolledBack_isQuarantinedUntilALaterAttempt() { // R17
    fleet.node("b").makeUnhealthy();
    start("*", 2);
    fleet.run("r1", driver);
    assertInstanceOf(Rollout.Completed.class, fleet.rollout("r1"));
    assertEquals(
        "[b (quarantined: it rolled this release back in attempt 1)]",
        assertInstanceOf(Preflight.Passed.class, preflight(1)).excluded().toString());
    assertEquals(2, assertInstanceOf(Preflight.Passed.class, preflight(2)).eligible().size());
  }

  @Test
  void retry_offersTheReleaseToTheFailedNodesAgain() { // R17
    fleet.node("b").makeUnhealthy();
    start("*", 2);
    assertEquals(
        new RolloutOperationResult.Refused("rollout r1 is still in progress"),
        operations.retry(R1, R2));
    fleet.run("r1", driver);
    fleet.node("b").makeHealthy();
    assertInstanceOf(RolloutOperationResult.Done.class, operations.retry(R1, R2));
    assertInstanceOf(RolloutOperationResult.Done.class, operations.retry(R1, R2));
    fleet.run("r2", driver);
    assertInstanceOf(Rollout.Completed.class, fleet.rollout("r2"));
    assertEquals(2, fleet.rollout("r2").run().spec().firstAttempt());
    assertEquals(Map.of(new NodeId("b"), NodeProgress.CONFIRMED), standings("r2"));
    assertEquals(NodePhase.CONFIRMED, fleet.node("b").nodePhase());
    assertEquals(1, fleet.node("a").swaps(), "nodes that did not fail are not touched");
    assertEquals(
        new RolloutOperationResult.Refused("no node of rollout r2 has failed"),
        operations.retry(R2, new RolloutId("r3")));
    assertEquals(
        new RolloutOperationResult.NoSuchRollout(), operations.retry(new RolloutId("r9"), R2));
  }

  /// The first operation crashed after it stored the spec.
  @Test
  void halfWrittenRetry_isRepeatable() {
    fleet.node("b").makeUnhealthy();
    start("*", 2);
    fleet.run("r1", driver);
    fleet.node("b").makeHealthy();
    RolloutOperations crashing =
        fleet.operations(new CrashAtFailpoint(Failpoint.ROLLOUT_CREATE, Side.BEFORE, 2));
    assertThrows(Crashed.class, () -> crashing.retry(R1, R2));
    assertInstanceOf(RolloutOperationResult.Done.class, operations.retry(R1, R2));
    fleet.run("r2", driver);
    assertInstanceOf(Rollout.Completed.class, fleet.rollout("r2"));
  }

  @Test
  void retryOfADegradedNode_isRefusedWithTheReason() {
    fleet.node("b").makeUnhealthy();
    start("*", 2);
    fleet.run("r1", driver);
    fleet.node("b").degrade();
    fleet.step(driver);
    assertEquals(
        new RolloutOperationResult.Refused("no eligible nodes (1 degraded excluded)"),
        operations.retry(R1, R2));
  }
}
