package keyfleet.rollout.plan;

import static keyfleet.rollout.RolloutFixtures.eligibility;
import static keyfleet.rollout.RolloutFixtures.inventory;
import static keyfleet.rollout.RolloutFixtures.nodes;
import static keyfleet.rollout.RolloutFixtures.target;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.RolloutFixtures;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.plan.BatchPolicy.FirstNodes;
import keyfleet.rollout.plan.BatchPolicy.NoCanaries;
import keyfleet.rollout.plan.BatchPolicy.Selected;
import keyfleet.rollout.plan.PlanningResult.NoCanaryFound;
import keyfleet.rollout.plan.PlanningResult.Planned;
import keyfleet.rollout.plan.Preflight.Passed;
import keyfleet.rollout.target.Facts;
import keyfleet.rollout.target.Target;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RolloutPlanTest {
  private static final Sha256 RELEASE = new Sha256("ab".repeat(32));
  private static final String FIVE = "a; b; c; d; e; off offline; bad degraded";

  private static PlanningResult createPlan(List<NodeStatus> inventory, BatchPolicy policy) {
    return createPlan(inventory, policy, "*");
  }

  private static PlanningResult createPlan(
      List<NodeStatus> inventory, BatchPolicy policy, String target) {
    Preflight answer = Preflight.of(eligibility(target, 0), inventory);
    Passed passed = assertInstanceOf(Passed.class, answer, answer::toString);
    return RolloutPlan.of(RELEASE, target(target), policy, passed);
  }

  private static RolloutPlan plan(String inventory, BatchPolicy policy) {
    return plan(inventory(inventory), policy, "*");
  }

  private static RolloutPlan plan(List<NodeStatus> inventory, BatchPolicy policy) {
    return plan(inventory, policy, "*");
  }

  private static RolloutPlan plan(List<NodeStatus> inventory, BatchPolicy policy, String target) {
    return assertInstanceOf(Planned.class, createPlan(inventory, policy, target)).plan();
  }

  /// The order is a promise: the next version must compute the same plan.
  @Test
  void order_isTheGoldenOne() {
    RolloutPlan plan = plan(FIVE, new BatchPolicy("seed", new NoCanaries(), 2));
    assertEquals(List.of(), plan.canaries());
    assertEquals(List.of(nodes("c", "b"), nodes("e", "a"), nodes("d")), plan.batches());
    assertEquals(nodes("off"), plan.offline());
    assertEquals("[bad (degraded)]", plan.excluded().toString());
    assertEquals(
        "9fb395fdd80503b06bba7c9869eed47bd1ff089f6f70cafedc45c2f21b04327b", plan.hash().hex());
  }

  @Test
  void firstNodes_areTheHeadOfTheOrder() {
    List<NodeId> order = flat(plan(FIVE, new BatchPolicy("seed", new NoCanaries(), 9)).batches());
    RolloutPlan plan = plan(FIVE, new BatchPolicy("seed", new FirstNodes(2), 2));
    assertEquals(order.subList(0, 2), plan.canaries());
    assertEquals(order.subList(2, 5), flat(plan.batches()));
    RolloutPlan all = plan(FIVE, new BatchPolicy("seed", new FirstNodes(9), 2));
    assertEquals(order, all.canaries());
    assertEquals(List.of(), all.batches());
  }

  @Test
  void selectedCanaries_goFirstAndOnlyOnce() {
    RolloutPlan plan = plan(FIVE, new BatchPolicy("seed", new Selected(target("[bd]")), 2));
    assertEquals(Set.of(nodes("b").getFirst(), nodes("d").getFirst()), Set.copyOf(plan.canaries()));
    assertEquals(Set.copyOf(nodes("a", "c", "e")), Set.copyOf(flat(plan.batches())));
  }

  @Test
  void selectorThatMatchesNoNode_isRefused() {
    Target selector = target("off or bad or x");
    PlanningResult planning =
        createPlan(inventory(FIVE), new BatchPolicy("seed", new Selected(selector), 2));
    assertEquals(new NoCanaryFound(selector), planning);
    assertEquals(
        "no eligible node matches the canary selector: off or bad or x",
        ((NoCanaryFound) planning).description());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void inputOrder_doesNotMatter(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 100; i++) {
      List<NodeStatus> inventory = randomInventory(random);
      BatchPolicy policy = randomPolicy(random);
      PlanningResult first = createPlan(inventory, policy);
      Collections.shuffle(inventory, random);
      PlanningResult second = createPlan(inventory, policy);
      assertEquals(first, second);
      if (first instanceof Planned(var a) && second instanceof Planned(var b)) {
        assertEquals(a.hash(), b.hash());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {4, 5, 6})
  void everyNode_isInExactlyOneSet(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 100; i++) {
      List<NodeStatus> inventory = randomInventory(random);
      BatchPolicy policy = randomPolicy(random);
      if (createPlan(inventory, policy) instanceof Planned(var plan)) {
        List<NodeId> all = new ArrayList<>(plan.canaries());
        all.addAll(flat(plan.batches()));
        all.addAll(plan.offline());
        plan.excluded().forEach(excludedNode -> all.add(excludedNode.node()));
        assertEquals(inventory.size(), all.size());
        assertEquals(
            new HashSet<>(inventory.stream().map(NodeStatus::node).toList()), new HashSet<>(all));
        plan.batches().forEach(batch -> assertBatch(policy, batch));
      }
    }
  }

  private static void assertBatch(BatchPolicy policy, List<NodeId> batch) {
    assertTrue(!batch.isEmpty() && batch.size() <= policy.batchSize(), batch::toString);
  }

  @Test
  void anyDifference_changesTheHash() {
    BatchPolicy policy = new BatchPolicy("seed", new FirstNodes(1), 2);
    List<RolloutPlan> plans =
        List.of(
            plan(FIVE, policy),
            plan(FIVE, new BatchPolicy("seed", new FirstNodes(1), 3)),
            plan(FIVE, new BatchPolicy("seed", new FirstNodes(2), 2)),
            plan(FIVE, new BatchPolicy("other", new FirstNodes(1), 2)),
            plan(FIVE.replace("off offline; ", ""), policy),
            plan(FIVE.replace("; bad degraded", ""), policy),
            plan(FIVE + "; f", policy));
    assertEquals(plans.size(), Set.copyOf(plans.stream().map(RolloutPlan::hash).toList()).size());
    RolloutPlan plan = plans.getFirst();
    assertNotEquals(
        plan.hash(),
        new RolloutPlan(
                new Sha256("cd".repeat(32)),
                plan.target(),
                plan.canaries(),
                plan.batches(),
                plan.offline(),
                plan.excluded())
            .hash());
  }

  /// R15: a node that must wait keeps its position ahead of the nodes behind it.
  @Test
  void domains_areSpreadOverTheBatches() {
    List<NodeStatus> zones =
        List.of(
            inZone("a", "1"),
            inZone("b", "1"),
            inZone("c", "1"),
            inZone("d", "2"),
            inZone("e", "2"),
            inZone("f", ""));
    BatchPolicy unlimited = new BatchPolicy("seed", new NoCanaries(), 3);
    assertEquals(
        List.of(nodes("c", "b", "e"), nodes("a", "d", "f")), plan(zones, unlimited).batches());
    assertEquals(
        List.of(nodes("c", "e", "f"), nodes("b", "d"), nodes("a")),
        plan(zones, perZone(new NoCanaries(), 3, 1)).batches());
    RolloutPlan first = plan(zones, perZone(new FirstNodes(3), 9, 1));
    assertEquals(nodes("c", "e", "f"), first.canaries());
    assertEquals(List.of(nodes("b", "d"), nodes("a")), first.batches());
    assertNotEquals(
        plan(zones, unlimited).hash(),
        plan(zones, perZone(new NoCanaries(), 3, 3)).hash(),
        "the limit is part of the plan, also where it changes no batch");
  }

  private static BatchPolicy perZone(BatchPolicy.Canaries canaries, int batchSize, int perBatch) {
    return new BatchPolicy(
        "seed", canaries, batchSize, new FailureDomains.Limited("zone", perBatch));
  }

  private static NodeStatus inZone(String id, String zone) {
    NodeStatus status = RolloutFixtures.status(id);
    Facts facts = zone.isEmpty() ? Facts.NONE : RolloutFixtures.facts("zone=" + zone);
    return new NodeStatus(status.node(), status.presence(), status.report(), facts);
  }

  @ParameterizedTest
  @ValueSource(longs = {7, 8, 9})
  void noBatch_exceedsTheDomainLimit(long seed) { // R15, I11
    Random random = new Random(seed);
    for (int i = 0; i < 100; i++) {
      List<NodeStatus> inventory = new ArrayList<>();
      int count = 1 + random.nextInt(40);
      for (int n = 0; n < count; n++) {
        inventory.add(inZone("n" + n, random.nextInt(6) == 0 ? "" : "z" + random.nextInt(4)));
      }
      BatchPolicy template = randomPolicy(random);
      FailureDomains.Limited spread = new FailureDomains.Limited("zone", 1 + random.nextInt(3));
      BatchPolicy policy =
          new BatchPolicy(template.seed(), template.canaries(), template.batchSize(), spread);
      RolloutPlan plan = plan(inventory, policy);
      List<List<NodeId>> batches = new ArrayList<>(plan.batches());
      batches.add(plan.canaries());
      batches.forEach(batch -> assertSpread(inventory, batch, spread));
      assertEquals(count, flat(batches).size());
      Collections.shuffle(inventory, random);
      assertEquals(plan.hash(), plan(inventory, policy).hash());
    }
  }

  /// R15: the plan remembers which inventory it was made from; a node outside the target changes
  /// the inventory but not the plan.
  @Test
  void inventory_isFrozenWithThePlan() {
    BatchPolicy policy = new BatchPolicy("seed", new NoCanaries(), 2);
    RolloutPlan plan = plan("a; b", policy);
    RolloutPlan again = plan("b; a", policy);
    RolloutPlan grown = plan(inventory("a; b; other offline"), policy, "L@a,b");
    assertEquals(plan.inventory(), again.inventory());
    assertNotEquals(plan.inventory(), grown.inventory());
    assertEquals(plan(inventory("a; b"), policy, "L@a,b").hash(), grown.hash());
    for (String changed : List.of("a; b offline", "a; b 3", "a; b missing", "a; b unreadable")) {
      assertNotEquals(plan.inventory(), InventoryDigest.of(inventory(changed)), changed);
    }
    assertNotEquals(
        InventoryDigest.of(List.of(inZone("a", "1"))),
        InventoryDigest.of(List.of(inZone("a", "2"))));
  }

  private static void assertSpread(
      List<NodeStatus> inventory, List<NodeId> batch, FailureDomains.Limited spread) {
    Map<List<String>, Long> domains =
        inventory.stream()
            .filter(it -> batch.contains(it.node()))
            .collect(
                Collectors.groupingBy(
                    it -> it.facts().valuesAt("zone").orElse(List.of()), Collectors.counting()));
    assertTrue(
        domains.values().stream().allMatch(it -> it <= spread.perBatch()), domains::toString);
  }

  @Test
  void invalidPolicies_areRejected() {
    assertThrows(IllegalArgumentException.class, () -> new FailureDomains.Limited("zone", 0));
    assertThrows(IllegalArgumentException.class, () -> new FailureDomains.Limited("", 1));
    assertThrows(
        IllegalArgumentException.class, () -> new BatchPolicy("seed", new NoCanaries(), 0));
    assertThrows(IllegalArgumentException.class, () -> new BatchPolicy("", new NoCanaries(), 1));
    assertThrows(IllegalArgumentException.class, () -> new FirstNodes(0));
    assertThrows(
        IllegalArgumentException.class, () -> new BatchPolicy("\uD83D", new NoCanaries(), 1));
    assertThrows(IllegalArgumentException.class, () -> new ExcludedNode.HeldBack("\uD83D"));
  }

  private static List<NodeId> flat(List<List<NodeId>> batches) {
    return batches.stream().flatMap(List::stream).toList();
  }

  /// At least one node is eligible.
  private static List<NodeStatus> randomInventory(Random random) {
    String[] kinds = {"", " offline", " degraded", " 3", " missing"};
    List<NodeStatus> inventory = new ArrayList<>(inventory("first"));
    IntStream.range(0, random.nextInt(40))
        .mapToObj(i -> "n" + i + kinds[random.nextInt(kinds.length)])
        .forEach(text -> inventory.add(RolloutFixtures.status(text)));
    return inventory;
  }

  private static BatchPolicy randomPolicy(Random random) {
    BatchPolicy.Canaries canaries =
        switch (random.nextInt(3)) {
          case 0 -> new NoCanaries();
          case 1 -> new FirstNodes(1 + random.nextInt(5));
          default -> new Selected(target("n?"));
        };
    return new BatchPolicy("seed" + random.nextInt(), canaries, 1 + random.nextInt(7));
  }
}
