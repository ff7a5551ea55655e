package keyfleet.rollout;

import static keyfleet.rollout.Fixtures.admission;
import static keyfleet.rollout.Fixtures.inventory;
import static keyfleet.rollout.Fixtures.nodes;
import static keyfleet.rollout.Fixtures.target;
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
import keyfleet.rollout.Planning.NoCanaryFound;
import keyfleet.rollout.Planning.Planned;
import keyfleet.rollout.Preflight.Passed;
import keyfleet.rollout.Shape.FirstOnes;
import keyfleet.rollout.Shape.NoCanaries;
import keyfleet.rollout.Shape.Selected;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PlanTest {
  private static final Sha256 RELEASE = new Sha256("ab".repeat(32));
  private static final String FIVE = "a; b; c; d; e; off offline; bad degraded";

  private static Planning planning(List<NodeStatus> inventory, Shape shape) {
    Preflight answer = Preflight.of(admission("*", 0), inventory);
    Passed passed = assertInstanceOf(Passed.class, answer, answer::toString);
    return Plan.of(RELEASE, target("*"), shape, passed);
  }

  private static Plan plan(String inventory, Shape shape) {
    return assertInstanceOf(Planned.class, planning(inventory(inventory), shape)).plan();
  }

  /// The order is a promise: the next version must compute the same plan.
  @Test
  void order_isTheGoldenOne() {
    Plan plan = plan(FIVE, new Shape("seed", new NoCanaries(), 2));
    assertEquals(List.of(), plan.canaries());
    assertEquals(List.of(nodes("c", "b"), nodes("e", "a"), nodes("d")), plan.batches());
    assertEquals(nodes("off"), plan.offline());
    assertEquals("[bad (degraded)]", plan.excluded().toString());
    assertEquals(
        "9fb395fdd80503b06bba7c9869eed47bd1ff089f6f70cafedc45c2f21b04327b", plan.hash().hex());
  }

  @Test
  void firstOnes_areTheHeadOfTheOrder() {
    List<NodeId> order = flat(plan(FIVE, new Shape("seed", new NoCanaries(), 9)).batches());
    Plan plan = plan(FIVE, new Shape("seed", new FirstOnes(2), 2));
    assertEquals(order.subList(0, 2), plan.canaries());
    assertEquals(order.subList(2, 5), flat(plan.batches()));
    Plan all = plan(FIVE, new Shape("seed", new FirstOnes(9), 2));
    assertEquals(order, all.canaries());
    assertEquals(List.of(), all.batches());
  }

  @Test
  void selectedCanaries_goFirstAndOnlyOnce() {
    Plan plan = plan(FIVE, new Shape("seed", new Selected(target("[bd]")), 2));
    assertEquals(Set.of(nodes("b").getFirst(), nodes("d").getFirst()), Set.copyOf(plan.canaries()));
    assertEquals(Set.copyOf(nodes("a", "c", "e")), Set.copyOf(flat(plan.batches())));
  }

  @Test
  void selectorThatTakesNobody_isRefused() {
    Target selector = target("off or bad or x");
    Planning planning = planning(inventory(FIVE), new Shape("seed", new Selected(selector), 2));
    assertEquals(new NoCanaryFound(selector), planning);
    assertEquals(
        "no eligible node matches the canary selector: off or bad or x",
        ((NoCanaryFound) planning).words());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void inputOrder_doesNotMatter(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 100; i++) {
      List<NodeStatus> inventory = randomInventory(random);
      Shape shape = randomShape(random);
      Planning first = planning(inventory, shape);
      Collections.shuffle(inventory, random);
      Planning second = planning(inventory, shape);
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
      Shape shape = randomShape(random);
      if (planning(inventory, shape) instanceof Planned(var plan)) {
        List<NodeId> all = new ArrayList<>(plan.canaries());
        all.addAll(flat(plan.batches()));
        all.addAll(plan.offline());
        plan.excluded().forEach(exclusion -> all.add(exclusion.node()));
        assertEquals(inventory.size(), all.size());
        assertEquals(
            new HashSet<>(inventory.stream().map(NodeStatus::node).toList()), new HashSet<>(all));
        plan.batches().forEach(batch -> assertBatch(shape, batch));
      }
    }
  }

  private static void assertBatch(Shape shape, List<NodeId> batch) {
    assertTrue(!batch.isEmpty() && batch.size() <= shape.batchSize(), batch::toString);
  }

  @Test
  void anyDifference_changesTheHash() {
    Shape shape = new Shape("seed", new FirstOnes(1), 2);
    List<Plan> plans =
        List.of(
            plan(FIVE, shape),
            plan(FIVE, new Shape("seed", new FirstOnes(1), 3)),
            plan(FIVE, new Shape("seed", new FirstOnes(2), 2)),
            plan(FIVE, new Shape("other", new FirstOnes(1), 2)),
            plan(FIVE.replace("off offline; ", ""), shape),
            plan(FIVE.replace("; bad degraded", ""), shape),
            plan(FIVE + "; f", shape));
    assertEquals(plans.size(), Set.copyOf(plans.stream().map(Plan::hash).toList()).size());
    Plan plan = plans.getFirst();
    assertNotEquals(
        plan.hash(),
        new Plan(
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
        List.of(in("a", "1"), in("b", "1"), in("c", "1"), in("d", "2"), in("e", "2"), in("f", ""));
    assertEquals(
        List.of(nodes("c", "b", "e"), nodes("a", "d", "f")),
        planned(zones, new Shape("seed", new NoCanaries(), 3)).batches());
    assertEquals(
        List.of(nodes("c", "e", "f"), nodes("b", "d"), nodes("a")),
        planned(zones, new Shape("seed", new NoCanaries(), 3, new Spread.Within("zone", 1)))
            .batches());
    Plan first =
        planned(zones, new Shape("seed", new FirstOnes(3), 9, new Spread.Within("zone", 1)));
    assertEquals(nodes("c", "e", "f"), first.canaries());
    assertEquals(List.of(nodes("b", "d"), nodes("a")), first.batches());
    assertNotEquals(
        planned(zones, new Shape("seed", new NoCanaries(), 3)).hash(),
        planned(zones, new Shape("seed", new NoCanaries(), 3, new Spread.Within("zone", 3))).hash(),
        "the limit is part of the plan, also where it changes no batch");
  }

  private static NodeStatus in(String id, String zone) {
    NodeStatus status = Fixtures.status(id);
    Facts facts = zone.isEmpty() ? Facts.NONE : Fixtures.facts("zone=" + zone);
    return new NodeStatus(status.node(), status.presence(), status.report(), facts);
  }

  private static Plan planned(List<NodeStatus> inventory, Shape shape) {
    return assertInstanceOf(Planned.class, planning(inventory, shape)).plan();
  }

  @ParameterizedTest
  @ValueSource(longs = {7, 8, 9})
  void noBatch_hasMoreOfADomainThanItMay(long seed) { // R15, I11
    Random random = new Random(seed);
    for (int i = 0; i < 100; i++) {
      List<NodeStatus> inventory = new ArrayList<>();
      int count = 1 + random.nextInt(40);
      for (int n = 0; n < count; n++) {
        inventory.add(in("n" + n, random.nextInt(6) == 0 ? "" : "z" + random.nextInt(4)));
      }
      Shape some = randomShape(random);
      Spread.Within spread = new Spread.Within("zone", 1 + random.nextInt(3));
      Shape shape = new Shape(some.seed(), some.canaries(), some.batchSize(), spread);
      Plan plan = planned(inventory, shape);
      List<List<NodeId>> batches = new ArrayList<>(plan.batches());
      batches.add(plan.canaries());
      batches.forEach(batch -> assertSpread(inventory, batch, spread));
      assertEquals(count, flat(batches).size());
      Collections.shuffle(inventory, random);
      assertEquals(plan.hash(), planned(inventory, shape).hash());
    }
  }

  /// R15: the plan remembers which inventory it was made from; a node outside the target changes
  /// the inventory but not the plan.
  @Test
  void inventory_isFrozenBesideThePlan() {
    Shape shape = new Shape("seed", new NoCanaries(), 2);
    Plan plan = planned(inventory("a; b"), shape);
    Plan again = planned(inventory("b; a"), shape);
    Plan grown = planned(inventory("a; b; other offline"), shape, "L@a,b");
    assertEquals(plan.inventory(), again.inventory());
    assertNotEquals(plan.inventory(), grown.inventory());
    assertEquals(planned(inventory("a; b"), shape, "L@a,b").hash(), grown.hash());
    for (String changed : List.of("a; b offline", "a; b 3", "a; b missing", "a; b unreadable")) {
      assertNotEquals(plan.inventory(), Inventory.revision(inventory(changed)), changed);
    }
    assertNotEquals(
        Inventory.revision(List.of(in("a", "1"))), Inventory.revision(List.of(in("a", "2"))));
  }

  private static Plan planned(List<NodeStatus> inventory, Shape shape, String target) {
    Passed passed =
        assertInstanceOf(Passed.class, Preflight.of(Fixtures.admission(target, 0), inventory));
    return assertInstanceOf(
            Planned.class,
            Plan.of(Fixtures.offer(0).release(), Fixtures.target(target), shape, passed))
        .plan();
  }

  private static void assertSpread(
      List<NodeStatus> inventory, List<NodeId> batch, Spread.Within spread) {
    Map<List<String>, Long> domains =
        inventory.stream()
            .filter(it -> batch.contains(it.node()))
            .collect(
                Collectors.groupingBy(
                    it -> it.facts().at("zone").orElse(List.of()), Collectors.counting()));
    assertTrue(
        domains.values().stream().allMatch(it -> it <= spread.perBatch()), domains::toString);
  }

  @Test
  void impossibleShapes_areIllegal() {
    assertThrows(IllegalArgumentException.class, () -> new Spread.Within("zone", 0));
    assertThrows(IllegalArgumentException.class, () -> new Spread.Within("", 1));
    assertThrows(IllegalArgumentException.class, () -> new Shape("seed", new NoCanaries(), 0));
    assertThrows(IllegalArgumentException.class, () -> new Shape("", new NoCanaries(), 1));
    assertThrows(IllegalArgumentException.class, () -> new FirstOnes(0));
    assertThrows(IllegalArgumentException.class, () -> new Shape("\uD83D", new NoCanaries(), 1));
    assertThrows(IllegalArgumentException.class, () -> new Exclusion.HeldBack("\uD83D"));
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
        .forEach(text -> inventory.add(Fixtures.status(text)));
    return inventory;
  }

  private static Shape randomShape(Random random) {
    Shape.Canaries canaries =
        switch (random.nextInt(3)) {
          case 0 -> new NoCanaries();
          case 1 -> new FirstOnes(1 + random.nextInt(5));
          default -> new Selected(target("n?"));
        };
    return new Shape("seed" + random.nextInt(), canaries, 1 + random.nextInt(7));
  }
}
