package keyfleet.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import keyfleet.rollout.Cause;
import keyfleet.rollout.Desired;
import keyfleet.rollout.Exclusion;
import keyfleet.rollout.Goal;
import keyfleet.rollout.Lead;
import keyfleet.rollout.Ledger;
import keyfleet.rollout.Limits;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.Phase;
import keyfleet.rollout.Place;
import keyfleet.rollout.Plan;
import keyfleet.rollout.Recall;
import keyfleet.rollout.Rollout;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.RolloutSpec;
import keyfleet.rollout.Run;
import keyfleet.rollout.Setback;
import keyfleet.rollout.Standing;
import keyfleet.rollout.Task;
import keyfleet.store.MalformedException;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RolloutDocumentsTest {
  private static final Lead LEAD = new Lead(7, "n7");
  private static final Task TASK =
      new Task(
          new RolloutId("r1"),
          2,
          RolloutRig.AGENT,
          RolloutRig.RELEASE,
          Duration.ofMillis(1_500),
          Duration.ofMinutes(5));
  private static final RolloutSpec SPEC = RolloutRig.spec("r1", "a", "b c", new Limits(2, 1, 0, 1));

  private static Run run() {
    TreeMap<NodeId, Place> places = new TreeMap<>();
    for (Standing standing : Standing.values()) {
      places.put(new NodeId("n-" + standing), new Place(standing, 1));
    }
    places.put(new NodeId("again"), new Place(Standing.WAITING, 3));
    return Run.of(SPEC, LEAD, new Ledger(1, 1, places));
  }

  static Stream<Rollout> states() {
    return Stream.of(
        new Rollout.Created(Run.of(SPEC, Lead.NOBODY, Ledger.EMPTY)),
        new Rollout.Rolling(run()),
        new Rollout.Paused(run(), Cause.INFRASTRUCTURE),
        new Rollout.Aborting(run(), new Recall(Goal.REVERTED, 8, Cause.FAILURES)),
        new Rollout.Aborted(run(), Cause.OPERATOR),
        new Rollout.RolledBack(run()),
        new Rollout.Completed(run()));
  }

  @ParameterizedTest
  @MethodSource("states")
  void rollout_isReadAsItWasWritten(Rollout rollout) {
    assertEquals(rollout, ControlDocument.read(SPEC, ControlDocument.of(rollout, "nonce")));
  }

  @Test
  void spec_isReadAsItWasWritten() {
    Plan plan = SPEC.plan();
    List<Exclusion> excluded =
        List.of(
            new Exclusion(new NodeId("x"), new Exclusion.Degraded()),
            new Exclusion(new NodeId("y"), new Exclusion.FactUnknown()),
            new Exclusion(new NodeId("z"), new Exclusion.HeldBack("pinned")));
    Plan full =
        new Plan(
            plan.release(),
            plan.target(),
            plan.canaries(),
            plan.batches(),
            RolloutRig.nodes("off"),
            excluded);
    RolloutSpec spec =
        new RolloutSpec(SPEC.id(), "i", 3, SPEC.component(), full, SPEC.limits(), SPEC.times());
    assertEquals(spec, SpecDocument.read(SpecDocument.of(spec)));
  }

  @Test
  void planThatWasTouched_isRefused() { // I11
    String text = SpecDocument.of(SPEC).text().replace("[\"b\",\"c\"]", "[\"b\",\"d\"]");
    assertThrows(MalformedException.class, () -> SpecDocument.read(Value.of(text)));
  }

  @Test
  void controlOfAnotherIncarnation_isRefused() { // R24
    RolloutSpec other =
        new RolloutSpec(
            SPEC.id(), "other", 1, SPEC.component(), SPEC.plan(), SPEC.limits(), SPEC.times());
    Value value = ControlDocument.of(new Rollout.Rolling(run()), "nonce");
    assertThrows(MalformedException.class, () -> ControlDocument.read(other, value));
  }

  @Test
  void orderAndReport_areReadAsTheyWereWritten() {
    Desired desired = new Desired(TASK, Goal.APPLIED, LEAD, 42);
    assertEquals(desired, DesiredDocument.read(DesiredDocument.of(desired)));
    NodeReport report =
        new NodeReport(
            new NodeId("a.b"), TASK, Phase.SOAKED, Setback.NONE, LEAD, RolloutRig.RELEASE);
    assertEquals(report, NodeReportDocument.read(NodeReportDocument.of(report)));
  }

  @Test
  void tenThousandConfirmedNodes_takeNoRoomInTheControlRecord() {
    List<NodeId> nodes =
        IntStream.range(0, 10_000)
            .mapToObj(i -> new NodeId("node-%05d.example".formatted(i)))
            .toList();
    Plan plan =
        new Plan(
            RolloutRig.RELEASE,
            SPEC.plan().target(),
            List.of(),
            IntStream.range(0, 100).mapToObj(i -> nodes.subList(i * 100, i * 100 + 100)).toList(),
            List.of(),
            List.of());
    RolloutSpec spec =
        new RolloutSpec(
            SPEC.id(), "i", 1, SPEC.component(), plan, new Limits(100, 5, 2, 10), SPEC.times());
    assertEquals(spec, SpecDocument.read(SpecDocument.of(spec)));
    Run run = Run.of(spec, LEAD, new Ledger(99, 99, new TreeMap<>()));
    int bytes = ControlDocument.of(new Rollout.Rolling(run), "nonce").bytes().length();
    assertTrue(bytes < 1_000, () -> bytes + " bytes");
    long confirmed =
        run.ledger().standings(spec).values().stream().filter(Standing.CONFIRMED::equals).count();
    assertEquals(9_900, confirmed);
  }
}
