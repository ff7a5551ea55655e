package keyfleet.rollout;

import static keyfleet.rollout.Fixtures.facts;
import static keyfleet.rollout.Fixtures.status;
import static keyfleet.rollout.Fixtures.target;
import static keyfleet.rollout.Rollouts.START;
import static keyfleet.rollout.Rollouts.TIMES;
import static keyfleet.rollout.Rollouts.ids;
import static keyfleet.rollout.Rollouts.limits;
import static keyfleet.rollout.Rollouts.plan;
import static keyfleet.rollout.Rollouts.report;
import static keyfleet.rollout.Rollouts.rolling;
import static keyfleet.rollout.Rollouts.standing;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import keyfleet.rollout.Admission.DegradedNodes;
import keyfleet.rollout.Rollout.Completed;
import keyfleet.rollout.RolloutEvent.Observed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Nodes that come late (R16): `x` was offline when the plan was made, all others but `a` were not
/// enrolled.
final class LaneTest {
  private static final Platform LINUX = new Platform("linux/amd64");

  private Duration now = START;
  private Rollout rollout = rolling(spec("a or x or L@l1,l2 or G@zone:1", DegradedNodes.EXCLUDED));

  private static RolloutSpec spec(String target, DegradedNodes degraded) {
    Plan some = plan("| a", "x");
    Plan plan =
        new Plan(
            some.release(),
            target(target),
            some.canaries(),
            some.batches(),
            some.offline(),
            some.excluded());
    Admission admission =
        new Admission(
            plan.target(),
            new Offer(plan.release(), 1, 2, Set.of(LINUX)),
            degraded,
            Map.of(new NodeId("l2"), "pinned"));
    return new RolloutSpec(
        Rollouts.ID, "i", admission, new Component("agent"), plan, limits(1, 2, 0), TIMES);
  }

  /// `late` is as in [Fixtures#status], between bars; they are all on linux unless they say so.
  private void see(String late, NodeReport... reports) {
    List<NodeStatus> statuses =
        late.isEmpty()
            ? List.of()
            : Arrays.stream(late.split("\\|", -1)).map(it -> of(it.strip())).toList();
    Set<NodeId> present = new java.util.HashSet<>(ids("a"));
    statuses.forEach(it -> present.add(it.node()));
    rollout = Rollout.next(rollout, new Observed(present, List.of(reports), statuses), now);
  }

  private static NodeStatus of(String text) {
    NodeStatus status = status(text.replaceAll(" (bsd|nowhere|bad)", ""));
    Facts facts =
        facts(
            (text.contains("bsd") ? "platform=bsd/amd64" : "platform=linux/amd64")
                + (text.contains("nowhere") ? "" : ";zone=" + text.charAt(0)));
    NodeStatus.Report report = status.report();
    if (text.contains("bad")
        && report instanceof NodeStatus.Reported(var health, int protocol, _)) {
      report =
          new NodeStatus.Reported(
              health, protocol, new Quarantine(new TreeMap<>(Map.of(Rollouts.NEW, 1))));
    }
    return new NodeStatus(status.node(), status.presence(), report, facts);
  }

  private void passFirstBatch(String late) {
    see(late);
    see(late, report("a", 1, Phase.CONFIRMED, Setback.NONE, 1));
    see(late);
  }

  @ParameterizedTest
  @CsvSource({
    "x 2, PREPARING, ''",
    "l1 2, PREPARING, ''",
    "1node 2, PREPARING, ''",
    "x 1, EXCLUDED, x (protocol 1 < 2)",
    "l1 1, EXCLUDED, l1 (protocol 1 < 2)",
    "x 2 degraded, EXCLUDED, x (degraded)",
    "x 2 bsd, EXCLUDED, 'x (of another platform, or of none that it says)'",
    "x unreadable, EXCLUDED, x (unreadable status)",
    "x 2 bad, EXCLUDED, x (quarantined: it rolled this release back in attempt 1)",
    "l2 2, EXCLUDED, l2 (pinned)",
    "q 2 nowhere, EXCLUDED, q (a fact of the target is unknown)"
  })
  void lateNode_isAskedWhatPreflightAsks(String late, Standing expected, String excluded) {
    passFirstBatch(late);
    assertEquals(expected, standing(rollout, late.split(" ", -1)[0]));
    List<String> words =
        rollout.run().ledger().excluded().stream().map(Exclusion::toString).toList();
    assertEquals(excluded.isEmpty() ? List.of() : List.of(excluded), words);
  }

  @Test
  void lateNodeThatTheTargetDoesNotTake_isInNoSet() {
    passFirstBatch("z 2");
    assertEquals(Set.copyOf(ids("a x")), standings().keySet());
  }

  private Map<NodeId, Standing> standings() {
    return rollout.run().ledger().standings(rollout.run().spec());
  }

  @Test
  void includedDegraded_getIn() { // R17
    rollout = rolling(spec("*", DegradedNodes.INCLUDED));
    passFirstBatch("x 2 degraded");
    assertEquals(Standing.PREPARING, standing(rollout, "x"));
  }

  @Test
  void lateNode_waitsForTheFirstBatchAndIsAskedThen() {
    see("l1 2");
    assertEquals(Standing.PENDING_OFFLINE, standing(rollout, "l1"), "seen, and in one set");
    passFirstBatch("l1 2 degraded");
    assertEquals(Standing.EXCLUDED, standing(rollout, "l1"));
  }

  @Test
  void lateNodeThatLeaves_isNoUnreachableOne() {
    see("l1 2");
    passFirstBatch("");
    assertEquals("Optional.empty", Rollout.hold(rollout).toString());
    assertEquals(Standing.PENDING_OFFLINE, standing(rollout, "l1"));
    see("x 2 | l1 2");
    assertEquals(Standing.PREPARING, standing(rollout, "l1"));
  }

  @Test
  void laneIsOver_whenTheRolloutsValidityEnds() {
    passFirstBatch("x 2");
    while (now.compareTo(START.plus(TIMES.laneWait())) < 0) {
      now = now.plus(TIMES.stale());
      see("x 2");
    }
    see("x 2 | l1 2");
    assertEquals(Set.copyOf(ids("a x")), standings().keySet(), "l1 comes too late");
    see("x 2 | l1 2", report("x", 1, Phase.CONFIRMED, Setback.NONE, 1));
    assertInstanceOf(Completed.class, rollout);
  }
}
