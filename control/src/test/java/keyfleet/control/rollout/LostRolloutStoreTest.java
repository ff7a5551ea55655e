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

  private final RolloutTestFleet fleet = new RolloutTestFleet("a b c");
  private final RolloutOperations operations = fleet.operations();
  private final RolloutLoop first = fleet.driver("first");

  /// Runs until `a` is in the phase, then restores the store to the time before the canary started.
  /// Nodes keep their progress and report it again with their next heartbeat.
  private void loseStoreAt(NodePhase nodePhase, RolloutLoop driver) {
    operations.start(SPEC);
    fleet.step(driver);
    Runnable restore = fleet.kv.checkpoint();
    while (fleet.node("a").nodePhase() != nodePhase) {
      fleet.step(driver);
    }
    restore.run();
    fleet.nodes.values().forEach(FakeNode::step);
  }

  private StopCause pauseCause() {
    return assertInstanceOf(Rollout.Paused.class, fleet.rollout("r1")).cause();
  }

  @Test
  void driverThatRemembersMore_holdsTheRolloutForEveryDriver() {
    loseStoreAt(NodePhase.SOAKING, first);
    first.tick();
    assertEquals(StopCause.STORE_LOST, pauseCause());
    assertTrue(first.problems().toString().contains("went back"), first.problems()::toString);
    assertEquals(
        fleet.rollout("r1"), new RolloutReader(fleet.kv, Failpoints.NONE).find(R1).orElseThrow());
  }

  @Test
  void driverWithoutMemory_holdsTheRolloutByNodeReports() {
    loseStoreAt(NodePhase.SOAKING, first);
    RolloutLoop second = fleet.driver("second");
    fleet.stepTimes(20, second);
    assertEquals(StopCause.STORE_LOST, pauseCause());
    assertEquals(
        NodeProgress.APPLYING,
        Objects.requireNonNull(fleet.rollout("r1").run().progress().entries().get(new NodeId("a")))
            .progress(),
        "rebuilt from its report");
  }

  @Test
  void heldRollout_commandsNothingUntilResumed() {
    loseStoreAt(NodePhase.SOAKED, first);
    List<Entry> before = desiredEntries();
    RolloutLoop second = fleet.driver("second");
    fleet.stepTimes(200, first, second);
    assertEquals(StopCause.STORE_LOST, pauseCause());
    assertEquals(before, desiredEntries());
    assertEquals(Map.of(), Rollout.assignments(fleet.rollout("r1")));
    assertInstanceOf(RolloutOperationResult.Done.class, operations.resume(R1));
    fleet.run("r1", first, second);
    fleet.assertCompleted("r1");
  }

  private List<Entry> desiredEntries() {
    return fleet.kv.list(RolloutKeys.ROLLOUTS, new Prefix("desired."));
  }

  @Test
  void lostEpochs_areNotReused() { // R1, R2
    operations.start(SPEC);
    Runnable restore = fleet.kv.checkpoint();
    for (int i = 0; i < 3; i++) {
      RolloutLoop driver = fleet.driver("d" + i);
      fleet.step(driver);
      fleet.step(driver);
      driver.release();
    }
    fleet.stepTimes(3, first);
    long obeyed = fleet.node("a").seen().epoch();
    assertTrue(obeyed > 1, "several drivers have claimed the rollout: " + obeyed);
    restore.run();
    fleet.nodes.values().forEach(FakeNode::step);
    RolloutLoop fresh = fleet.driver("fresh");
    fleet.stepTimes(20, fresh);
    assertEquals(StopCause.STORE_LOST, pauseCause());
    operations.resume(R1);
    fleet.run("r1", fresh);
    fleet.assertCompleted("r1");
    DriverClaim driverClaim = fleet.rollout("r1").run().claim();
    assertTrue(driverClaim.epoch() > obeyed, driverClaim::toString);
  }

  @Test
  void heldRollout_canBeAborted() {
    loseStoreAt(NodePhase.SOAKING, first);
    fleet.step(first);
    fleet.step(first);
    assertInstanceOf(RolloutOperationResult.Done.class, operations.abort(R1));
    fleet.run("r1", first);
    assertInstanceOf(Rollout.Aborted.class, fleet.rollout("r1"));
    assertEquals(NodePhase.ROLLED_BACK, fleet.node("a").nodePhase());
  }
}
