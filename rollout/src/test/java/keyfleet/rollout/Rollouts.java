package keyfleet.rollout;

import static keyfleet.rollout.Fixtures.status;
import static keyfleet.rollout.Fixtures.target;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import keyfleet.rollout.RolloutEvent.Claimed;
import keyfleet.rollout.RolloutEvent.Observed;

/// Short builders for the controller's tests.
final class Rollouts {
  static final RolloutId ID = new RolloutId("r1");
  static final Sha256 OLD = new Sha256("aa".repeat(32));
  static final Sha256 NEW = new Sha256("bb".repeat(32));
  static final Duration START = Duration.ofHours(1);
  static final Times TIMES = Times.usual(Duration.ofMinutes(1), Duration.ofSeconds(30));

  private Rollouts() {}

  /// Parses `a b`: ids separated by spaces.
  static List<NodeId> ids(String text) {
    return text.isBlank()
        ? List.of()
        : Arrays.stream(text.split(" ", -1)).map(NodeId::new).toList();
  }

  /// Parses `c | a b | d`: batches separated by bars; the first is the canaries and may be empty.
  static Plan plan(String text, String offline) {
    List<List<NodeId>> batches =
        Arrays.stream(text.split("\\|", -1)).map(it -> ids(it.strip())).toList();
    return new Plan(
        NEW,
        target("*"),
        batches.getFirst(),
        batches.subList(1, batches.size()),
        ids(offline),
        List.of());
  }

  static RolloutSpec spec(String batches, String offline, Limits limits) {
    return new RolloutSpec(
        ID, "incarnation", 1, new Component("agent"), plan(batches, offline), limits, TIMES);
  }

  static Limits limits(int batch, int failed, int unavailable) {
    return new Limits(batch, failed, unavailable, 2);
  }

  static Lead lead(long epoch) {
    return new Lead(epoch, "n" + epoch);
  }

  static Rollout created(RolloutSpec spec) {
    return new Rollout.Created(Run.of(spec, Lead.NOBODY, Ledger.EMPTY));
  }

  /// A rollout under its first driver.
  static Rollout rolling(RolloutSpec spec) {
    return Rollout.next(created(spec), new Claimed(lead(1)), START);
  }

  static NodeReport report(String node, int attempt, Phase phase, Setback setback, long seen) {
    Task task = spec("| " + node, "", limits(1, 1, 0)).task(attempt);
    return new NodeReport(new NodeId(node), task, phase, setback, lead(seen), OLD);
  }

  static Observed seen(String present, NodeReport... reports) {
    List<NodeStatus> statuses = ids(present).stream().map(it -> status(it.value())).toList();
    return new Observed(Set.copyOf(ids(present)), List.of(reports), statuses);
  }

  static Standing standing(Rollout rollout, String node) {
    Run run = rollout.run();
    return run.ledger().standings(run.spec()).getOrDefault(new NodeId(node), Standing.EXCLUDED);
  }

  /// The goal that the node is ordered to reach, if any.
  static Optional<Goal> goal(Rollout rollout, String node) {
    return Optional.ofNullable(Rollout.orders(rollout).get(new NodeId(node))).map(Assignment::goal);
  }
}
