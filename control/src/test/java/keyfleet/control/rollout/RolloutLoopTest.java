package keyfleet.control.rollout;

import static keyfleet.control.rollout.RolloutTestFleet.spec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import keyfleet.control.Failpoint;
import keyfleet.control.Failpoints;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.controller.NodeProgress;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutLimits;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.store.Entry;
import keyfleet.store.Key;
import keyfleet.store.StoreException;
import keyfleet.store.UnreliableKv;
import keyfleet.store.UnreliableKv.Fault;
import keyfleet.store.Value;
import keyfleet.wire.DesiredStateDocument;
import keyfleet.wire.RolloutKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RolloutLoopTest {
  private static final RolloutId R1 = new RolloutId("r1");
  private static final RolloutLimits LIMITS = new RolloutLimits(2, 1, 0, 1);
  private static final RolloutSpec SPEC = spec("r1", "a", "b c", LIMITS);

  private final RolloutTestFleet fleet = new RolloutTestFleet("a b c");

  @Test
  void claimByAnother_stopsTheDriverAtOnce() { // R2
    fleet.operations().start(SPEC);
    RolloutLoop driver = fleet.driver("first");
    fleet.step(driver);
    fleet.kv.create(RolloutKeys.ROLLOUTS, RolloutKeys.epoch(R1, 2), Value.of("{}"));
    Rollout before = fleet.rollout("r1");
    fleet.stepTimes(10, driver);
    assertEquals(before, fleet.rollout("r1"));
    fleet.run("r1", driver);
    fleet.assertCompleted("r1");
    assertEquals(3, fleet.rollout("r1").run().claim().epoch());
  }

  @Test
  void rolloutNeverDriven_isAdoptedAtTheFirstScan() {
    fleet.operations().start(SPEC);
    assertInstanceOf(Rollout.Created.class, fleet.rollout("r1"));
    fleet.step(fleet.driver("first"));
    assertInstanceOf(Rollout.Rolling.class, fleet.rollout("r1"));
  }

  @Test
  void silentDriver_isReplacedAfterTheStaleTime() { // R3
    fleet.operations().start(SPEC);
    fleet.step(fleet.driver("first"));
    RolloutLoop second = fleet.driver("second");
    int stale = (int) SPEC.timings().staleAfter().dividedBy(RolloutTestFleet.STEP);
    fleet.stepTimes(stale, second);
    assertEquals(1, fleet.rollout("r1").run().claim().epoch());
    fleet.step(second);
    assertEquals(2, fleet.rollout("r1").run().claim().epoch());
  }

  @Test
  void releasedRollout_isClaimedAtOnce() { // R3
    fleet.operations().start(SPEC);
    RolloutLoop first = fleet.driver("first");
    fleet.step(first);
    first.release();
    fleet.step(fleet.driver("second"));
    assertEquals(2, fleet.rollout("r1").run().claim().epoch());
  }

  @Test
  void twoDrivers_onlyOneDrives() { // P9
    fleet.operations().start(SPEC);
    fleet.run("r1", fleet.driver("first"), fleet.driver("second"));
    fleet.assertCompleted("r1");
    assertEquals(1, fleet.rollout("r1").run().claim().epoch());
  }

  @Test
  void pausedDriver_stopsWhenItResumes() { // R2, R12, H5
    fleet.operations().start(SPEC);
    RolloutLoop first = fleet.driver("first");
    fleet.step(first);
    RolloutLoop second = fleet.driver("second");
    fleet.stepTimes(14, second);
    var driverClaim = fleet.rollout("r1").run().claim();
    fleet.step(first);
    fleet.step(first, second);
    assertEquals(driverClaim, fleet.rollout("r1").run().claim());
    fleet.run("r1", first, second);
    fleet.assertCompleted("r1");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void lostAnswers_failNoNode(long seed) { // R23
    Random random = new Random(seed);
    Fault[] faults = Fault.values();
    UnreliableKv unsure =
        new UnreliableKv(
            fleet.kv,
            () -> random.nextInt(3) == 0 ? faults[random.nextInt(faults.length)] : Fault.NONE);
    fleet.operations().start(SPEC);
    fleet.run("r1", fleet.driver("first", unsure, Failpoints.NONE));
    fleet.assertCompleted("r1");
  }

  @Test
  void unusableStore_stopsCommandsAndAbortsNothing() { // R20
    fleet.operations().start(SPEC);
    Outage outage = new Outage();
    RolloutLoop driver = fleet.driver("first", outage);
    fleet.step(driver);
    outage.on = true;
    fleet.stepTimes(500, driver);
    assertEquals(Map.of("store", "no route"), driver.problems());
    outage.on = false;
    fleet.run("r1", driver);
    fleet.assertCompleted("r1");
  }

  private static final class Outage implements Failpoints {
    private boolean on;

    @Override
    public <T> T at(Failpoint point, Supplier<T> effect) {
      if (on) {
        throw new StoreException("no route");
      }
      return effect.get();
    }
  }

  @Test
  void badRelease_abortsAndNoNodeKeepsIt() {
    fleet.node("a").makeUnhealthy();
    fleet.operations().start(SPEC);
    fleet.run("r1", fleet.driver("first"));
    assertInstanceOf(Rollout.Aborted.class, fleet.rollout("r1"));
    assertEquals(List.of(new NodeId("a")), fleet.rollout("r1").run().progress().failedNodes());
    assertEquals(0, fleet.node("b").swaps());
  }

  @Test
  void abort_namesTheMissingNodeAndEndsWhenItIsForgotten() { // R18
    RolloutOperations operations = fleet.operations();
    operations.start(SPEC);
    RolloutLoop driver = fleet.driver("first");
    while (fleet.node("a").nodePhase() != NodePhase.SOAKING) {
      fleet.step(driver);
    }
    fleet.dead.add(new NodeId("a"));
    assertInstanceOf(RolloutOperationResult.Done.class, operations.abort(R1));
    assertInstanceOf(RolloutOperationResult.Done.class, operations.abort(R1));
    fleet.stepTimes(100, driver);
    Rollout rollout = assertInstanceOf(Rollout.Aborting.class, fleet.rollout("r1"));
    assertEquals(List.of(new NodeId("a")), rollout.run().progress().awaitedNodes());
    assertInstanceOf(RolloutOperationResult.Done.class, operations.forget(R1, new NodeId("a")));
    fleet.run("r1", driver);
    assertInstanceOf(Rollout.Aborted.class, fleet.rollout("r1"));
    assertFalse(fleet.hasDriverKey("r1"));
  }

  @Test
  void completedRollout_isRolledBack() {
    RolloutOperations operations = fleet.operations();
    operations.start(SPEC);
    RolloutLoop driver = fleet.driver("first");
    fleet.run("r1", driver);
    assertInstanceOf(RolloutOperationResult.Done.class, operations.rollback(R1));
    fleet.run("r1", driver);
    assertInstanceOf(Rollout.RolledBack.class, fleet.rollout("r1"));
    fleet.nodes.values().forEach(it -> assertEquals(NodePhase.REVERTED, it.nodePhase()));
  }

  @Test
  void secondRollout_getsNoNodeOfTheFirst() { // R4, I12
    RolloutOperations operations = fleet.operations();
    operations.start(SPEC);
    RolloutLoop driver = fleet.driver("first");
    fleet.step(driver);
    fleet.step(driver);
    operations.start(spec("r2", "", "a", LIMITS));
    fleet.run("r2", driver);
    Rollout second = fleet.rollout("r2");
    assertEquals(
        Map.of(new NodeId("a"), NodeProgress.OCCUPIED),
        second.run().progress().progressByNode(second.run().spec()));
    fleet.run("r1", driver);
    fleet.assertCompleted("r1");
    operations.start(spec("r3", "", "a", LIMITS));
    fleet.run("r3", driver);
    assertEquals(2, fleet.node("a").swaps());
  }

  /// Runs `meanwhile` once, before the driver reads a node's desired state.
  private static final class PauseBeforeRead implements Failpoints {
    private Runnable meanwhile = () -> {};

    @Override
    public <T> T at(Failpoint point, Supplier<T> effect) {
      if (point == Failpoint.DESIRED_READ) {
        Runnable once = meanwhile;
        meanwhile = () -> {};
        once.run();
      }
      return effect.get();
    }
  }

  @Test
  void pausedDriver_doesNotOverwriteTheNextRollout() { // R4
    RolloutOperations operations = fleet.operations();
    operations.start(spec("r1", "", "a", LIMITS));
    PauseBeforeRead pauseBeforeRead = new PauseBeforeRead();
    RolloutLoop first = fleet.driver("first", pauseBeforeRead);
    while (fleet.node("a").seen().epoch() == 0) {
      fleet.step(first);
    }
    RolloutLoop second = fleet.driver("second");
    pauseBeforeRead.meanwhile =
        () -> {
          operations.abort(R1);
          fleet.run("r1", second);
          operations.start(spec("r2", "", "a", LIMITS));
          fleet.step(second);
          assertEquals("r2", desiredRollout("a"));
        };
    for (int i = 0; i < 10 && !Rollout.isEnded(fleet.rollout("r1")); i++) {
      fleet.step(first);
    }
    assertInstanceOf(Rollout.Aborted.class, fleet.rollout("r1"));
    assertEquals("r2", desiredRollout("a"));
  }

  /// The rollout of a node's desired state.
  private String desiredRollout(String node) {
    Key key = RolloutKeys.desired(RolloutTestFleet.AGENT, new NodeId(node));
    Entry entry = fleet.kv.get(RolloutKeys.ROLLOUTS, key).orElseThrow();
    return DesiredStateDocument.parse(entry.value()).task().rollout().value();
  }

  @Test
  void pausedRollout_continuesWhenResumed() {
    RolloutOperations operations = fleet.operations();
    operations.start(SPEC);
    RolloutLoop driver = fleet.driver("first");
    fleet.step(driver);
    assertInstanceOf(RolloutOperationResult.Done.class, operations.pause(R1));
    fleet.stepTimes(50, driver);
    assertInstanceOf(Rollout.Paused.class, fleet.rollout("r1"));
    assertNotEquals(NodePhase.CONFIRMED, fleet.node("b").nodePhase());
    assertInstanceOf(RolloutOperationResult.Done.class, operations.resume(R1));
    fleet.run("r1", driver);
    fleet.assertCompleted("r1");
    assertEquals(
        new RolloutOperationResult.Refused("rollout r1 is completed"), operations.pause(R1));
    assertEquals(new RolloutOperationResult.NoSuchRollout(), operations.abort(new RolloutId("r9")));
  }

  @Test
  void canariesOfAnotherRollout_areTakenWhenItHasEnded() { // R4, R14
    RolloutOperations operations = fleet.operations();
    operations.start(SPEC);
    RolloutLoop driver = fleet.driver("first");
    fleet.step(driver);
    fleet.step(driver);
    operations.start(spec("r2", "a", "b", LIMITS));
    fleet.stepTimes(3, driver);
    assertTrue(
        driver.problems().getOrDefault("rollout r2", "").startsWith("no canary is left"),
        driver.problems()::toString);
    fleet.run("r2", driver);
    assertInstanceOf(Rollout.Completed.class, fleet.rollout("r2"));
    assertEquals(2, fleet.node("a").swaps());
  }

  @Test
  void rolloutBeyondTheTickLimit_isDrivenInTheNextTick() {
    RolloutOperations operations = fleet.operations();
    for (int i = 0; i <= RolloutLoop.MAX_ROLLOUTS; i++) {
      operations.start(spec("r%03d".formatted(i), "", "x" + i, LIMITS));
    }
    RolloutLoop driver = fleet.driver("first");
    fleet.step(driver);
    assertInstanceOf(Rollout.Created.class, fleet.rollout("r064"));
    fleet.step(driver);
    assertInstanceOf(Rollout.Rolling.class, fleet.rollout("r064"));
    assertInstanceOf(Rollout.Rolling.class, fleet.rollout("r000"));
  }

  @Test
  void planTooLargeForTheStore_isRefusedWithTheReason() {
    String batch =
        IntStream.range(0, 30_000)
            .mapToObj("node-%05d.example"::formatted)
            .collect(Collectors.joining(" "));
    RolloutSpec large = spec("r1", "*", "", batch, new RolloutLimits(30_000, 1, 0, 1));
    RolloutOperationResult.Refused refused =
        assertInstanceOf(RolloutOperationResult.Refused.class, fleet.operations().start(large));
    assertTrue(refused.why().startsWith("30000 nodes are too many for one rollout"), refused.why());
  }

  /// A malformed key of one node does not stop the others.
  @ParameterizedTest
  @ValueSource(strings = {"desired.agent.b", "act.agent.b"})
  void unreadableKey_namesItsNodeAndTheOthersContinue(String key) {
    fleet.kv.put(RolloutKeys.ROLLOUTS, new Key(key), RolloutTestFleet.MALFORMED);
    fleet.operations().start(SPEC);
    RolloutLoop driver = fleet.driver("first");
    fleet.stepTimes(40, driver);
    assertEquals(NodePhase.CONFIRMED, fleet.node("a").nodePhase());
    assertEquals(NodePhase.CONFIRMED, fleet.node("c").nodePhase());
    assertEquals(
        "the desired or act key of these nodes is malformed; check and delete it: b",
        driver.problems().get("rollout r1"));
    Entry unreadable = fleet.kv.get(RolloutKeys.ROLLOUTS, new Key(key)).orElseThrow();
    assertEquals(RolloutTestFleet.MALFORMED, unreadable.value(), "it may be of a later driver");
    fleet.kv.delete(RolloutKeys.ROLLOUTS, new Key(key), unreadable.revision());
    fleet.run("r1", driver);
    fleet.assertCompleted("r1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"driver.no.rollout", "driver.no=rollout", "r1.e.x", "r1.e.1.2"})
  void unknownKey_stopsNoDriver(String key) {
    fleet.kv.put(RolloutKeys.ROLLOUTS, new Key(key), RolloutTestFleet.MALFORMED);
    fleet.operations().start(SPEC);
    fleet.run("r1", fleet.driver("first"));
    fleet.assertCompleted("r1");
  }

  @Test
  void anotherPlanUnderTheSameName_isRefused() {
    RolloutOperations operations = fleet.operations();
    operations.start(SPEC);
    assertInstanceOf(RolloutOperationResult.Done.class, operations.start(SPEC));
    RolloutSpec other = spec("r1", "", "a", LIMITS);
    assertEquals(
        new RolloutOperationResult.Refused("rollout r1 already exists with another plan"),
        operations.start(other));
  }
}
