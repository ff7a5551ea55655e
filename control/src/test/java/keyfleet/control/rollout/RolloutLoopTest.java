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
import keyfleet.wire.DesiredDocument;
import keyfleet.wire.RolloutKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RolloutLoopTest {
  private static final RolloutId R1 = new RolloutId("r1");
  private static final RolloutSpec SPEC = spec("r1", "a", "b c", new RolloutLimits(2, 1, 0, 1));

  private final RolloutTestFleet rig = new RolloutTestFleet("a b c");

  @Test
  void claimOfAnother_stopsTheDriverAtOnce() { // R2
    rig.orders(Failpoints.NONE).start(SPEC);
    RolloutLoop driver = rig.driver("first", Failpoints.NONE);
    rig.step(driver);
    rig.kv.create(RolloutKeys.ROLLOUTS, RolloutKeys.epoch(R1, 2), Value.of("{}"));
    Rollout before = rig.rollout("r1");
    for (int i = 0; i < 10; i++) {
      rig.step(driver);
    }
    assertEquals(before, rig.rollout("r1"));
    rig.run("r1", driver);
    rig.assertCompleted("r1");
    assertEquals(3, rig.rollout("r1").run().claim().epoch());
  }

  @Test
  void rolloutNeverDriven_isAdoptedAtTheFirstScan() {
    rig.orders(Failpoints.NONE).start(SPEC);
    assertInstanceOf(Rollout.Created.class, rig.rollout("r1"));
    rig.step(rig.driver("first", Failpoints.NONE));
    assertInstanceOf(Rollout.Rolling.class, rig.rollout("r1"));
  }

  @Test
  void silentDriver_isLeftAloneForTheStaleTime() { // R3
    rig.orders(Failpoints.NONE).start(SPEC);
    rig.step(rig.driver("first", Failpoints.NONE));
    RolloutLoop second = rig.driver("second", Failpoints.NONE);
    int stale = (int) SPEC.timings().staleAfter().dividedBy(RolloutTestFleet.STEP);
    for (int i = 0; i < stale; i++) {
      rig.step(second);
    }
    assertEquals(1, rig.rollout("r1").run().claim().epoch());
    rig.step(second);
    assertEquals(2, rig.rollout("r1").run().claim().epoch());
  }

  @Test
  void driverThatLetsGo_isFollowedAtOnce() { // R3
    rig.orders(Failpoints.NONE).start(SPEC);
    RolloutLoop first = rig.driver("first", Failpoints.NONE);
    rig.step(first);
    first.release();
    rig.step(rig.driver("second", Failpoints.NONE));
    assertEquals(2, rig.rollout("r1").run().claim().epoch());
  }

  @Test
  void twoDrivers_shareNothingAndOneLeads() { // P9
    rig.orders(Failpoints.NONE).start(SPEC);
    rig.run("r1", rig.driver("first", Failpoints.NONE), rig.driver("second", Failpoints.NONE));
    rig.assertCompleted("r1");
    assertEquals(1, rig.rollout("r1").run().claim().epoch());
  }

  @Test
  void driverThatSlept_stopsWhenItWakes() { // R2, R12, H5
    rig.orders(Failpoints.NONE).start(SPEC);
    RolloutLoop first = rig.driver("first", Failpoints.NONE);
    rig.step(first);
    RolloutLoop second = rig.driver("second", Failpoints.NONE);
    for (int i = 0; i < 14; i++) {
      rig.step(second);
    }
    var driverClaim = rig.rollout("r1").run().claim();
    rig.step(first);
    rig.step(first, second);
    assertEquals(driverClaim, rig.rollout("r1").run().claim());
    rig.run("r1", first, second);
    rig.assertCompleted("r1");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void answersThatGetLost_failNobody(long seed) { // R23
    Random random = new Random(seed);
    Fault[] faults = Fault.values();
    UnreliableKv unsure =
        new UnreliableKv(
            rig.kv,
            () -> random.nextInt(3) == 0 ? faults[random.nextInt(faults.length)] : Fault.NONE);
    rig.orders(Failpoints.NONE).start(SPEC);
    rig.run("r1", rig.driver("first", unsure, Failpoints.NONE));
    rig.assertCompleted("r1");
  }

  @Test
  void storeThatCannotBeUsed_stopsCommandsAndAbortsNothing() { // R20
    rig.orders(Failpoints.NONE).start(SPEC);
    Outage outage = new Outage();
    RolloutLoop driver = rig.driver("first", outage);
    rig.step(driver);
    outage.on = true;
    for (int i = 0; i < 500; i++) {
      rig.step(driver);
    }
    assertEquals(Map.of("store", "no route"), driver.troubles());
    outage.on = false;
    rig.run("r1", driver);
    rig.assertCompleted("r1");
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
  void badRelease_abortsAndNobodyKeepsIt() {
    rig.node("a").sicken();
    rig.orders(Failpoints.NONE).start(SPEC);
    rig.run("r1", rig.driver("first", Failpoints.NONE));
    assertInstanceOf(Rollout.Aborted.class, rig.rollout("r1"));
    assertEquals(List.of(new NodeId("a")), rig.rollout("r1").run().progress().failedNodes());
    assertEquals(0, rig.node("b").swaps());
  }

  @Test
  void abort_namesWhoIsMissingAndEndsWhenItIsForgotten() { // R18
    RolloutOperations orders = rig.orders(Failpoints.NONE);
    orders.start(SPEC);
    RolloutLoop driver = rig.driver("first", Failpoints.NONE);
    while (rig.node("a").nodePhase() != NodePhase.SOAKING) {
      rig.step(driver);
    }
    rig.dead.add(new NodeId("a"));
    assertInstanceOf(RolloutOperationResult.Done.class, orders.abort(R1));
    assertInstanceOf(RolloutOperationResult.Done.class, orders.abort(R1));
    for (int i = 0; i < 100; i++) {
      rig.step(driver);
    }
    Rollout rollout = assertInstanceOf(Rollout.Aborting.class, rig.rollout("r1"));
    assertEquals(List.of(new NodeId("a")), rollout.run().progress().awaitedNodes());
    assertInstanceOf(RolloutOperationResult.Done.class, orders.forget(R1, new NodeId("a")));
    rig.run("r1", driver);
    assertInstanceOf(Rollout.Aborted.class, rig.rollout("r1"));
    assertFalse(rig.isOpen("r1"));
  }

  @Test
  void completedRollout_isRolledBack() {
    RolloutOperations orders = rig.orders(Failpoints.NONE);
    orders.start(SPEC);
    RolloutLoop driver = rig.driver("first", Failpoints.NONE);
    rig.run("r1", driver);
    assertInstanceOf(RolloutOperationResult.Done.class, orders.rollback(R1));
    rig.run("r1", driver);
    assertInstanceOf(Rollout.RolledBack.class, rig.rollout("r1"));
    rig.nodes.values().forEach(it -> assertEquals(NodePhase.REVERTED, it.nodePhase()));
  }

  @Test
  void secondRollout_getsNoNodeOfTheFirst() { // R4, I12
    RolloutOperations orders = rig.orders(Failpoints.NONE);
    orders.start(SPEC);
    RolloutLoop driver = rig.driver("first", Failpoints.NONE);
    rig.step(driver);
    rig.step(driver);
    orders.start(spec("r2", "", "a", new RolloutLimits(2, 1, 0, 1)));
    rig.run("r2", driver);
    Rollout second = rig.rollout("r2");
    assertEquals(
        Map.of(new NodeId("a"), NodeProgress.OCCUPIED),
        second.run().progress().progressByNode(second.run().spec()));
    rig.run("r1", driver);
    rig.assertCompleted("r1");
    orders.start(spec("r3", "", "a", new RolloutLimits(2, 1, 0, 1)));
    rig.run("r3", driver);
    assertEquals(2, rig.node("a").swaps());
  }

  /// Falls asleep before it reads what a node was told last, once somebody has said for how long.
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
  void driverThatSleptIntoAnotherRollout_doesNotSpeakOverIt() { // R4
    RolloutOperations orders = rig.orders(Failpoints.NONE);
    orders.start(spec("r1", "", "a", new RolloutLimits(2, 1, 0, 1)));
    PauseBeforeRead sleeper = new PauseBeforeRead();
    RolloutLoop first = rig.driver("first", sleeper);
    while (rig.node("a").seen().epoch() == 0) {
      rig.step(first);
    }
    RolloutLoop second = rig.driver("second", Failpoints.NONE);
    sleeper.meanwhile =
        () -> {
          orders.abort(R1);
          rig.run("r1", second);
          orders.start(spec("r2", "", "a", new RolloutLimits(2, 1, 0, 1)));
          rig.step(second);
          assertEquals("r2", told("a"));
        };
    for (int i = 0; i < 10 && !Rollout.isEnded(rig.rollout("r1")); i++) {
      rig.step(first);
    }
    assertInstanceOf(Rollout.Aborted.class, rig.rollout("r1"));
    assertEquals("r2", told("a"));
  }

  /// Whose order a node has.
  private String told(String node) {
    Key key = RolloutKeys.desired(RolloutTestFleet.AGENT, new NodeId(node));
    Entry order = rig.kv.get(RolloutKeys.ROLLOUTS, key).orElseThrow();
    return DesiredDocument.read(order.value()).task().rollout().value();
  }

  @Test
  void pausedRollout_goesOnWhenResumed() {
    RolloutOperations orders = rig.orders(Failpoints.NONE);
    orders.start(SPEC);
    RolloutLoop driver = rig.driver("first", Failpoints.NONE);
    rig.step(driver);
    assertInstanceOf(RolloutOperationResult.Done.class, orders.pause(R1));
    for (int i = 0; i < 50; i++) {
      rig.step(driver);
    }
    assertInstanceOf(Rollout.Paused.class, rig.rollout("r1"));
    assertNotEquals(NodePhase.CONFIRMED, rig.node("b").nodePhase());
    assertInstanceOf(RolloutOperationResult.Done.class, orders.resume(R1));
    rig.run("r1", driver);
    rig.assertCompleted("r1");
    assertEquals(new RolloutOperationResult.Refused("rollout r1 is completed"), orders.pause(R1));
    assertEquals(new RolloutOperationResult.NoSuchRollout(), orders.abort(new RolloutId("r9")));
  }

  @Test
  void canariesOfAnotherRollout_areAskedAgainWhenItHasEnded() { // R4, R14
    RolloutOperations orders = rig.orders(Failpoints.NONE);
    orders.start(SPEC);
    RolloutLoop driver = rig.driver("first", Failpoints.NONE);
    rig.step(driver);
    rig.step(driver);
    orders.start(spec("r2", "a", "b", new RolloutLimits(2, 1, 0, 1)));
    for (int i = 0; i < 3; i++) {
      rig.step(driver);
    }
    assertTrue(
        driver.troubles().getOrDefault("rollout r2", "").startsWith("no canary is left"),
        driver.troubles()::toString);
    rig.run("r2", driver);
    assertInstanceOf(Rollout.Completed.class, rig.rollout("r2"));
    assertEquals(2, rig.node("a").swaps());
  }

  @Test
  void oneRolloutTooManyForATick_hasItsTurnInTheNext() {
    RolloutOperations orders = rig.orders(Failpoints.NONE);
    for (int i = 0; i <= RolloutLoop.MAX_ROLLOUTS; i++) {
      orders.start(spec("r%03d".formatted(i), "", "x" + i, new RolloutLimits(2, 1, 0, 1)));
    }
    RolloutLoop driver = rig.driver("first", Failpoints.NONE);
    rig.step(driver);
    assertInstanceOf(Rollout.Created.class, rig.rollout("r064"));
    rig.step(driver);
    assertInstanceOf(Rollout.Rolling.class, rig.rollout("r064"));
    assertInstanceOf(Rollout.Rolling.class, rig.rollout("r000"));
  }

  @Test
  void planTooLargeForTheStore_isRefusedInWords() {
    String batch =
        IntStream.range(0, 30_000)
            .mapToObj("node-%05d.example"::formatted)
            .collect(Collectors.joining(" "));
    RolloutSpec large = spec("r1", "*", "", batch, new RolloutLimits(30_000, 1, 0, 1));
    RolloutOperationResult.Refused refused =
        assertInstanceOf(
            RolloutOperationResult.Refused.class, rig.orders(Failpoints.NONE).start(large));
    assertTrue(refused.why().startsWith("30000 nodes are too many for one rollout"), refused.why());
  }

  /// One node whose keys are not understood hides no other.
  @ParameterizedTest
  @ValueSource(strings = {"desired.agent.b", "act.agent.b"})
  void nodeWhoseKeyCannotBeRead_isNamedAndTheOthersGoOn(String key) {
    rig.kv.put(RolloutKeys.ROLLOUTS, new Key(key), RolloutTestFleet.GARBLED);
    rig.orders(Failpoints.NONE).start(SPEC);
    RolloutLoop driver = rig.driver("first", Failpoints.NONE);
    for (int i = 0; i < 40; i++) {
      rig.step(driver);
    }
    assertEquals(NodePhase.CONFIRMED, rig.node("a").nodePhase());
    assertEquals(NodePhase.CONFIRMED, rig.node("c").nodePhase());
    assertEquals(
        "what nodes were told, or whose they are, cannot be read; delete the keys: b",
        driver.troubles().get("rollout r1"));
    Entry unreadable = rig.kv.get(RolloutKeys.ROLLOUTS, new Key(key)).orElseThrow();
    assertEquals(RolloutTestFleet.GARBLED, unreadable.value(), "it may be a later lead's word");
    rig.kv.delete(RolloutKeys.ROLLOUTS, new Key(key), unreadable.revision());
    rig.run("r1", driver);
    rig.assertCompleted("r1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"driver.no.rollout", "driver.no=rollout", "r1.e.x", "r1.e.1.2"})
  void keyOfNobody_stopsNoDriver(String key) {
    rig.kv.put(RolloutKeys.ROLLOUTS, new Key(key), RolloutTestFleet.GARBLED);
    rig.orders(Failpoints.NONE).start(SPEC);
    rig.run("r1", rig.driver("first", Failpoints.NONE));
    rig.assertCompleted("r1");
  }

  @Test
  void anotherPlanUnderTheSameName_isRefused() {
    RolloutOperations orders = rig.orders(Failpoints.NONE);
    orders.start(SPEC);
    assertInstanceOf(RolloutOperationResult.Done.class, orders.start(SPEC));
    RolloutSpec other = spec("r1", "", "a", new RolloutLimits(2, 1, 0, 1));
    assertEquals(
        new RolloutOperationResult.Refused("there is another rollout r1"), orders.start(other));
  }
}
