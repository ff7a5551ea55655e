package keyfleet.control.rollout;

import static keyfleet.control.rollout.RolloutTestFleet.spec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import keyfleet.control.Failpoints;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.controller.NodeProgress;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutLimits;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.controller.StopCause;
import keyfleet.store.Entry;
import keyfleet.store.Prefix;
import keyfleet.wire.RolloutKeys;
import org.junit.jupiter.api.Test;

/// A store that lost what it acknowledged (R24).
class LostRolloutStoreTest {
  private static final RolloutId R1 = new RolloutId("r1");
  private static final RolloutSpec SPEC = spec("r1", "a", "b c", new RolloutLimits(2, 1, 0, 1));

  private final RolloutTestFleet rig = new RolloutTestFleet("a b c");
  private final RolloutOperations orders = rig.orders(Failpoints.NONE);
  private final RolloutLoop first = rig.driver("first", Failpoints.NONE);

  /// The store as it was before the canary began, with what the nodes have said since: they say it
  /// again with their next beat.
  private void loseUntil(NodePhase nodePhase, RolloutLoop driver) {
    orders.start(SPEC);
    rig.step(driver);
    Runnable back = rig.kv.checkpoint();
    while (rig.node("a").nodePhase() != nodePhase) {
      rig.step(driver);
    }
    back.run();
    rig.nodes.values().forEach(FakeNode::step);
  }

  private StopCause heldBy() {
    return assertInstanceOf(Rollout.Paused.class, rig.rollout("r1")).cause();
  }

  @Test
  void driverThatRemembersMore_holdsTheRolloutForAll() {
    loseUntil(NodePhase.SOAKING, first);
    first.tick();
    assertEquals(StopCause.STORE_LOST, heldBy());
    assertTrue(first.troubles().toString().contains("went back"), first.troubles()::toString);
    assertEquals(
        rig.rollout("r1"), new RolloutReader(rig.kv, Failpoints.NONE).find(R1).orElseThrow());
  }

  @Test
  void driverWithoutAMemory_holdsItByWhatNodesHaveObeyed() {
    loseUntil(NodePhase.SOAKING, first);
    RolloutLoop second = rig.driver("second", Failpoints.NONE);
    for (int i = 0; i < 20; i++) {
      rig.step(second);
    }
    assertEquals(StopCause.STORE_LOST, heldBy());
    assertEquals(
        NodeProgress.APPLYING,
        Objects.requireNonNull(rig.rollout("r1").run().progress().entries().get(new NodeId("a")))
            .progress(),
        "rebuilt from its report");
  }

  @Test
  void held_nothingIsCommandedUntilSomebodyResumes() {
    loseUntil(NodePhase.SOAKED, first);
    List<Entry> before = desired();
    RolloutLoop second = rig.driver("second", Failpoints.NONE);
    for (int i = 0; i < 200; i++) {
      rig.step(first, second);
    }
    assertEquals(StopCause.STORE_LOST, heldBy());
    assertEquals(before, desired());
    assertEquals(Map.of(), Rollout.assignments(rig.rollout("r1")));
    assertInstanceOf(RolloutOperationResult.Done.class, orders.resume(R1));
    rig.run("r1", first, second);
    rig.assertCompleted("r1");
  }

  private List<Entry> desired() {
    return rig.kv.list(RolloutKeys.ROLLOUTS, new Prefix("desired."));
  }

  @Test
  void lostEpochs_areNotGivenAway() { // R1, R2
    orders.start(SPEC);
    Runnable back = rig.kv.checkpoint();
    for (int i = 0; i < 3; i++) {
      RolloutLoop driver = rig.driver("d" + i, Failpoints.NONE);
      rig.step(driver);
      rig.step(driver);
      driver.release();
    }
    rig.step(first);
    rig.step(first);
    rig.step(first);
    long obeyed = rig.node("a").seen().epoch();
    assertTrue(obeyed > 1, "several drivers have led: " + obeyed);
    back.run();
    rig.nodes.values().forEach(FakeNode::step);
    RolloutLoop fresh = rig.driver("fresh", Failpoints.NONE);
    for (int i = 0; i < 20; i++) {
      rig.step(fresh);
    }
    assertEquals(StopCause.STORE_LOST, heldBy());
    orders.resume(R1);
    rig.run("r1", fresh);
    rig.assertCompleted("r1");
    DriverClaim driverClaim = rig.rollout("r1").run().claim();
    assertTrue(driverClaim.epoch() > obeyed, driverClaim::toString);
  }

  @Test
  void heldRollout_canBeAborted() {
    loseUntil(NodePhase.SOAKING, first);
    rig.step(first);
    rig.step(first);
    assertInstanceOf(RolloutOperationResult.Done.class, orders.abort(R1));
    rig.run("r1", first);
    assertInstanceOf(Rollout.Aborted.class, rig.rollout("r1"));
    assertEquals(NodePhase.ROLLED_BACK, rig.node("a").nodePhase());
  }
}
