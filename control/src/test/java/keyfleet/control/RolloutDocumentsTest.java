package keyfleet.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import keyfleet.rollout.Admission;
import keyfleet.rollout.Admission.DegradedNodes;
import keyfleet.rollout.Cause;
import keyfleet.rollout.Chapter;
import keyfleet.rollout.Desired;
import keyfleet.rollout.Duty;
import keyfleet.rollout.Duty.Course;
import keyfleet.rollout.Exclusion;
import keyfleet.rollout.Facts;
import keyfleet.rollout.Goal;
import keyfleet.rollout.Ground;
import keyfleet.rollout.Lead;
import keyfleet.rollout.Ledger;
import keyfleet.rollout.Limits;
import keyfleet.rollout.Moment;
import keyfleet.rollout.Node;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePage;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.Offer;
import keyfleet.rollout.Phase;
import keyfleet.rollout.Place;
import keyfleet.rollout.Plan;
import keyfleet.rollout.Platform;
import keyfleet.rollout.Quarantine;
import keyfleet.rollout.Recall;
import keyfleet.rollout.Rollout;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.RolloutSpec;
import keyfleet.rollout.Run;
import keyfleet.rollout.Setback;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Sighting.State;
import keyfleet.rollout.Spread;
import keyfleet.rollout.Standing;
import keyfleet.rollout.Task;
import keyfleet.rollout.Times;
import keyfleet.rollout.Tolerance;
import keyfleet.rollout.Version;
import keyfleet.rollout.VersionPattern;
import keyfleet.rollout.Vitals;
import keyfleet.rollout.Vitals.Link;
import keyfleet.store.Document;
import keyfleet.store.MalformedException;
import keyfleet.store.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RolloutDocumentsTest {
  private static final Sha256 OLD = new Sha256("aa".repeat(32));
  private static final Lead LEAD = new Lead(7, "n7");
  private static final Task TASK =
      new Task(
          new RolloutId("r1"),
          2,
          RolloutRig.AGENT,
          RolloutRig.RELEASE,
          Duration.ofMillis(1_500),
          Duration.ofMinutes(5),
          Duration.ofSeconds(45));
  private static final RolloutSpec SPEC = RolloutRig.spec("r1", "a", "b c", new Limits(2, 1, 0, 1));

  private static final List<Exclusion> EXCLUDED =
      List.of(
          new Exclusion(new NodeId("x"), new Exclusion.Degraded()),
          new Exclusion(new NodeId("y"), new Exclusion.FactUnknown()),
          new Exclusion(new NodeId("z"), new Exclusion.HeldBack("pinned")),
          new Exclusion(new NodeId("z1"), new Exclusion.Quarantined(3)),
          new Exclusion(new NodeId("z2"), new Exclusion.WrongPlatform()),
          new Exclusion(new NodeId("z3"), new Exclusion.ProtocolTooOld(1, 2)),
          new Exclusion(new NodeId("z4"), new Exclusion.UnreadableStatus()),
          new Exclusion(new NodeId("z5"), new Exclusion.NotTargeted()),
          new Exclusion(new NodeId("z6"), new Exclusion.NotAllowedFrom(new Version("0.9"))));

  private static Run run() {
    TreeMap<NodeId, Place> places = new TreeMap<>();
    for (Standing standing : Standing.values()) {
      places.put(new NodeId("n-" + standing), new Place(standing, 1));
    }
    places.put(new NodeId("again"), new Place(Standing.WAITING, 3));
    return Run.of(SPEC, LEAD, new Ledger(1, 1, places, EXCLUDED));
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
    Plan full =
        new Plan(
            plan.release(),
            plan.target(),
            plan.canaries(),
            plan.batches(),
            RolloutRig.nodes("off"),
            EXCLUDED,
            new Spread.Within("zone", 2),
            OLD);
    Offer offer =
        new Offer(
            plan.release(),
            3,
            7,
            Set.of(new Platform("linux/amd64")),
            List.of(new VersionPattern("1.*")));
    Admission admission =
        new Admission(
            plan.target(), offer, DegradedNodes.INCLUDED, Map.of(new NodeId("p"), "pinned"));
    Limits limits = new Limits(2, new Tolerance.Percent(5), new Tolerance.Nodes(1), 1, 2);
    RolloutSpec spec =
        new RolloutSpec(SPEC.id(), "i", admission, SPEC.component(), full, limits, SPEC.times());
    assertEquals(spec, SpecDocument.read(SpecDocument.of(spec)));
  }

  /// What older programs wrote has no admission and no health wait.
  @Test
  void olderDocuments_areRead() {
    String text = SpecDocument.of(SPEC).text();
    int from = text.indexOf("\"admission\"");
    String older = text.substring(0, from) + text.substring(text.indexOf("\"plan\"", from));
    assertEquals(SPEC, SpecDocument.read(Value.of(older)));
    String task = TaskDocument.of(TASK).toValue().text().replace("health_wait", "x");
    assertEquals(
        Times.USUAL_HEALTH_WAIT, TaskDocument.task(Document.parse(Value.of(task))).healthWait());
  }

  @Test
  void card_isReadAsItWasWritten() {
    NodeCard card =
        new NodeCard(
            new Facts(Map.of("os.family", List.of("linux"), "gpu", List.of())),
            new Quarantine(new TreeMap<>(Map.of(RolloutRig.RELEASE, 4))));
    assertEquals(card, NodeCard.read(card.toValue()));
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
            new NodeId("a.b"),
            TASK,
            Phase.ROLLED_BACK,
            Setback.REFUSED,
            LEAD,
            RolloutRig.RELEASE,
            List.of("expired", "protocol 1 < 2"));
    String text = NodeReportDocument.of(report).text();
    assertEquals(report, NodeReportDocument.read(Value.of(text)));
    String older = text.replace("\"reasons\"", "\"x\"");
    assertEquals(List.of(), NodeReportDocument.read(Value.of(older)).reasons());
  }

  static Stream<Node> nodes() {
    Chapter chapter =
        new Chapter(TASK, OLD, LEAD, Course.TURNED, Phase.ROLLED_BACK, Setback.UNHEALTHY);
    Ground ground =
        new Ground(new NodeId("n"), RolloutRig.AGENT, OLD, RolloutRig.RELEASE, List.of(chapter));
    Duty duty = new Duty(ground, TASK, OLD, LEAD, Course.FORWARD);
    Vitals vitals = new Vitals(State.READY, Link.CONNECTED, 50, 40, 0, 2, 1);
    return Stream.of(
        new Node.Idle(ground),
        new Node.Preparing(duty),
        new Node.Staged(duty),
        new Node.Applying(duty, Node.Check.PASSED, 900),
        new Node.Soaking(duty, vitals, 900),
        new Node.Soaked(duty, vitals, -7),
        new Node.Confirmed(duty),
        new Node.RollingBack(duty, Node.Undo.SWAP_BACK, Setback.REFUSED, List.of("no")),
        new Node.RolledBack(duty, Setback.UNHEALTHY, List.of()),
        new Node.Reverted(duty));
  }

  @ParameterizedTest
  @MethodSource("nodes")
  void journalPage_isReadAsItWasWritten(Node node) { // R5
    NodePage page = new NodePage(node, new Moment("boot", 100, Instant.ofEpochSecond(1, 5)));
    assertEquals(page, NodePageDocument.read(NodePageDocument.of(page)));
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
