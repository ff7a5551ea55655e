package keyfleet.control.rollout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import keyfleet.control.Failpoints;
import keyfleet.rollout.Component;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutLimits;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.controller.RolloutTimings;
import keyfleet.rollout.plan.RolloutPlan;
import keyfleet.rollout.target.TargetParser;
import keyfleet.store.FakeKv;
import keyfleet.store.FakeStoreClock;
import keyfleet.store.Kv;
import keyfleet.store.Value;
import keyfleet.wire.RolloutKeys;

/// A store, nodes that do what their desired state says, and one clock for all of them.
final class RolloutTestFleet {
  static final Component AGENT = new Component("agent");
  static final Sha256 RELEASE = new Sha256("bb".repeat(32));

  /// A value that is not a document.
  static final Value MALFORMED = Value.of("{");

  static final Duration STEP = Duration.ofSeconds(5);
  static final int MAX_STEPS = 2_000;

  final FakeStoreClock clock = new FakeStoreClock();
  final FakeKv kv = new FakeKv(clock);
  final Map<NodeId, FakeNode> nodes = new TreeMap<>();
  final Set<NodeId> dead = new HashSet<>();
  private long nonce;

  RolloutTestFleet(String ids) {
    addNodes(ids);
  }

  void addNodes(String ids) {
    nodes(ids).forEach(it -> nodes.put(it, new FakeNode(it, kv)));
  }

  static List<NodeId> nodes(String ids) {
    return ids.isBlank() ? List.of() : Arrays.stream(ids.split(" ", -1)).map(NodeId::new).toList();
  }

  Supplier<String> nonces() {
    return () -> "n" + ++nonce;
  }

  RolloutLoop driver(String name) {
    return driver(name, Failpoints.NONE);
  }

  /// Each driver's elapsed clock starts at another value.
  RolloutLoop driver(String name, Failpoints failpoints) {
    return driver(name, kv, failpoints);
  }

  RolloutLoop driver(String name, Kv connection, Failpoints failpoints) {
    long start = name.hashCode() * 1_000_000L;
    return new RolloutLoop(
        name, connection, () -> start + clock.now().millis() * 1_000_000L, nonces(), failpoints);
  }

  RolloutOperations operations() {
    return operations(Failpoints.NONE);
  }

  RolloutOperations operations(Failpoints failpoints) {
    return new RolloutOperations("operator", kv, nonces(), failpoints);
  }

  /// A rollout to exactly these nodes.
  static RolloutSpec spec(String id, String canaries, String batch, RolloutLimits rolloutLimits) {
    String target = "L@" + (canaries + " " + batch).strip().replace(' ', ',');
    return spec(id, target, canaries, batch, rolloutLimits);
  }

  /// A rollout to these nodes, and to nodes that match the target later.
  static RolloutSpec spec(
      String id, String target, String canaries, String batch, RolloutLimits rolloutLimits) {
    RolloutPlan rolloutPlan =
        new RolloutPlan(
            RELEASE,
            assertInstanceOf(TargetParser.Parsed.class, TargetParser.parse(target)).target(),
            nodes(canaries),
            List.of(nodes(batch)),
            List.of(),
            List.of());
    return new RolloutSpec(
        new RolloutId(id),
        "incarnation-" + id,
        1,
        AGENT,
        rolloutPlan,
        rolloutLimits,
        RolloutTimings.defaults(Duration.ofSeconds(10), Duration.ofSeconds(10)));
  }

  Rollout rollout(String id) {
    return new RolloutStore(kv, Failpoints.NONE, nonces())
        .read(new RolloutId(id))
        .orElseThrow()
        .rollout();
  }

  boolean hasDriverKey(String id) {
    return kv.get(RolloutKeys.ROLLOUTS, RolloutKeys.driver(new RolloutId(id))).isPresent();
  }

  /// Steps until the rollout needs no driver, at most [#MAX_STEPS] times.
  void run(String id, RolloutLoop... drivers) {
    for (int i = 0; i < MAX_STEPS && hasDriverKey(id); i++) {
      step(drivers);
    }
  }

  void stepTimes(int times, RolloutLoop... drivers) {
    for (int i = 0; i < times; i++) {
      step(drivers);
    }
  }

  void step(RolloutLoop... drivers) {
    clock.advance(STEP);
    nodes.values().stream().filter(it -> !dead.contains(it.id())).forEach(FakeNode::step);
    for (RolloutLoop driver : drivers) {
      driver.tick();
    }
  }

  FakeNode node(String id) {
    return Objects.requireNonNull(nodes.get(new NodeId(id)), id);
  }

  /// Each node runs the release, none has failed, and none has started twice (I1, I2).
  void assertCompleted(String id) {
    Rollout rollout = rollout(id);
    assertInstanceOf(Rollout.Completed.class, rollout);
    assertEquals(List.of(), rollout.run().progress().failedNodes());
    nodes.values().forEach(it -> assertEquals(NodePhase.CONFIRMED, it.nodePhase()));
    nodes.values().forEach(it -> assertEquals(1, it.swaps()));
    assertFalse(hasDriverKey(id));
  }
}
