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
import java.util.function.Supplier;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
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

/// Nodes that come after the plan was made (R16), and nodes that have rolled a release back (R17).
class LateNodeTest {
  private static final RolloutId R1 = new RolloutId("r1");
  private static final RolloutId R2 = new RolloutId("r2");

  private final RolloutTestFleet rig = new RolloutTestFleet("a b");
  private final RolloutOperations orders = rig.orders(Failpoints.NONE);
  private final RolloutLoop driver = rig.driver("first", Failpoints.NONE);

  private Map<NodeId, NodeProgress> standings(String id) {
    var rolloutRun = rig.rollout(id).run();
    return rolloutRun.progress().progressByNode(rolloutRun.spec());
  }

  private void start(String target, int maxFailed) {
    orders.start(spec("r1", target, "", "a b", new RolloutLimits(2, maxFailed, 0, 1)));
    rig.step(driver);
    rig.step(driver);
  }

  @Test
  void nodeEnrolledLater_getsTheRelease() {
    start("*", 1);
    rig.enrol("c");
    rig.run("r1", driver);
    rig.assertCompleted("r1");
    assertEquals(NodeProgress.CONFIRMED, standings("r1").get(new NodeId("c")));
  }

  @Test
  void nodeThatTheFrozenTargetDoesNotTake_isInNoSet() {
    start("L@a,b", 1);
    rig.enrol("c");
    rig.run("r1", driver);
    assertInstanceOf(Rollout.Completed.class, rig.rollout("r1"));
    assertNull(standings("r1").get(new NodeId("c")));
  }

  @Test
  void lateNodeThatIsDegraded_isLeftOutWithTheReason() { // I10
    start("*", 1);
    rig.enrol("c");
    rig.node("c").degrade();
    rig.run("r1", driver);
    assertInstanceOf(Rollout.Completed.class, rig.rollout("r1"));
    assertEquals(NodeProgress.EXCLUDED, standings("r1").get(new NodeId("c")));
    assertEquals(
        List.of(new ExcludedNode(new NodeId("c"), new ExcludedNode.Degraded())),
        rig.rollout("r1").run().progress().excluded());
  }

  @Test
  void lateNodeThatCannotBeRead_isLeftOut() {
    start("*", 1);
    rig.enrol("c");
    rig.step(driver);
    rig.dead.add(new NodeId("c"));
    rig.kv.put(RolloutKeys.NODES, RolloutKeys.ofNode(AGENT, new NodeId("c")), Value.of("{"));
    rig.run("r1", driver);
    assertEquals(
        "[c (unreadable status)]", rig.rollout("r1").run().progress().excluded().toString());
  }

  /// R16: `b` is away when its batch goes on.
  @ParameterizedTest
  @CsvSource({"1, 1.0, protocol 1 < 2", "2, 0.9, not allowed from version 0.9"})
  void nodeThatReturnsAsAnother_isLeftOutWithTheReason(int protocol, String version, String why) {
    rig.dead.add(new NodeId("b"));
    orders.start(demanding(spec("r1", "*", "", "a b", new RolloutLimits(2, 1, 1, 1))));
    leaveBehind("b");
    rig.node("b").become(protocol, version);
    rig.dead.clear();
    rig.run("r1", driver);
    assertInstanceOf(Rollout.Completed.class, rig.rollout("r1"));
    assertEquals("[b (" + why + ")]", rig.rollout("r1").run().progress().excluded().toString());
    assertEquals(0, rig.node("b").swaps());
  }

  @Test
  void nodeThatReturnsAsItWas_getsTheRelease() { // R16
    rig.dead.add(new NodeId("b"));
    orders.start(demanding(spec("r1", "*", "", "a b", new RolloutLimits(2, 1, 1, 1))));
    leaveBehind("b");
    rig.dead.clear();
    rig.run("r1", driver);
    rig.assertCompleted("r1");
  }

  private void leaveBehind(String node) {
    for (int i = 0; i < RolloutTestFleet.PATIENCE; i++) {
      if (standings("r1").get(new NodeId(node)) == NodeProgress.WAITING) {
        return;
      }
      rig.step(driver);
    }
    fail(node + " was not left behind");
  }

  private static RolloutSpec demanding(RolloutSpec spec) {
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

  /// A node whose beat or card is garbled refuses the rollout by its name; the others can still be
  /// read.
  @ParameterizedTest
  @ValueSource(strings = {"update-status", "update-nodes"})
  void nodeThatCannotBeRead_isNamedByPreflight(String bucket) {
    start("*", 1);
    Bucket garbled = bucket.equals("update-nodes") ? RolloutKeys.NODES : RolloutKeys.STATUS;
    rig.kv.put(garbled, RolloutKeys.ofNode(AGENT, new NodeId("b")), RolloutTestFleet.GARBLED);
    Preflight.Refused refused = assertInstanceOf(Preflight.Refused.class, preflight(1));
    assertEquals("unreadable status: b", refused.description());
    assertEquals(2, new NodeRegistry(rig.kv, Failpoints.NONE).inventory(AGENT).size());
  }

  private Preflight preflight(int attempt) {
    var target = rig.rollout("r1").run().spec().plan().target();
    return Preflight.of(
        EligibilityRules.of(target, OfferedRelease.of(RELEASE, attempt)),
        new NodeRegistry(rig.kv, Failpoints.NONE).inventory(AGENT));
  }

  @Test
  void nodeThatRolledBack_isQuarantinedUntilALaterAttempt() { // R17
    rig.node("b").sicken();
    start("*", 2);
    rig.run("r1", driver);
    assertInstanceOf(Rollout.Completed.class, rig.rollout("r1"));
    assertEquals(
        "[b (quarantined: it rolled this release back in attempt 1)]",
        assertInstanceOf(Preflight.Passed.class, preflight(1)).excluded().toString());
    assertEquals(2, assertInstanceOf(Preflight.Passed.class, preflight(2)).eligible().size());
  }

  @Test
  void retry_offersTheReleaseToTheFailedNodesOnceMore() { // R17
    rig.node("b").sicken();
    start("*", 2);
    assertEquals(
        new RolloutOperationResult.Refused("rollout r1 is still under way"), orders.retry(R1, R2));
    rig.run("r1", driver);
    rig.node("b").recover();
    assertInstanceOf(RolloutOperationResult.Done.class, orders.retry(R1, R2));
    assertInstanceOf(RolloutOperationResult.Done.class, orders.retry(R1, R2));
    rig.run("r2", driver);
    assertInstanceOf(Rollout.Completed.class, rig.rollout("r2"));
    assertEquals(2, rig.rollout("r2").run().spec().firstAttempt());
    assertEquals(Map.of(new NodeId("b"), NodeProgress.CONFIRMED), standings("r2"));
    assertEquals(NodePhase.CONFIRMED, rig.node("b").nodePhase());
    assertEquals(1, rig.node("a").swaps(), "who did not fail is left alone");
    assertEquals(
        new RolloutOperationResult.Refused("no node of rollout r2 has failed"),
        orders.retry(R2, new RolloutId("r3")));
    assertEquals(new RolloutOperationResult.NoSuchRollout(), orders.retry(new RolloutId("r9"), R2));
  }

  /// Whoever ordered it first died before the rollout was whole.
  @Test
  void retryThatWasOrderedByHalf_isOrderedAgain() {
    rig.node("b").sicken();
    start("*", 2);
    rig.run("r1", driver);
    rig.node("b").recover();
    RolloutOperations dying = rig.orders(new CrashOnSecondCreate());
    assertThrows(IllegalStateException.class, () -> dying.retry(R1, R2));
    assertInstanceOf(RolloutOperationResult.Done.class, orders.retry(R1, R2));
    rig.run("r2", driver);
    assertInstanceOf(Rollout.Completed.class, rig.rollout("r2"));
  }

  /// Creates one key, and no other.
  private static final class CrashOnSecondCreate implements Failpoints {
    private int created;

    @Override
    public <T> T at(Failpoint point, Supplier<T> effect) {
      if (point == Failpoint.ROLLOUT_CREATE && created++ > 0) {
        throw new IllegalStateException("dead");
      }
      return effect.get();
    }
  }

  @Test
  void retryOfADegradedNode_isRefusedInWords() {
    rig.node("b").sicken();
    start("*", 2);
    rig.run("r1", driver);
    rig.node("b").degrade();
    rig.step(driver);
    assertEquals(
        new RolloutOperationResult.Refused("no eligible nodes (1 degraded excluded)"),
        orders.retry(R1, R2));
  }
}
