package keyfleet.rollout.controller;

import static keyfleet.rollout.RolloutFixtures.status;
import static keyfleet.rollout.RolloutFixtures.target;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import keyfleet.rollout.Component;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Task;
import keyfleet.rollout.controller.RolloutEvent.Claimed;
import keyfleet.rollout.controller.RolloutEvent.Observed;
import keyfleet.rollout.plan.NodeStatus;
import keyfleet.rollout.plan.RolloutPlan;

/// Short builders for the controller's tests.
final class ControllerFixtures {
  static final RolloutId ID = new RolloutId("r1");
  static final Sha256 OLD = new Sha256("aa".repeat(32));
  static final Sha256 NEW = new Sha256("bb".repeat(32));
  static final Duration START = Duration.ofHours(1);
  static final RolloutTimings TIMINGS =
      RolloutTimings.defaults(Duration.ofMinutes(1), Duration.ofSeconds(30));

  private ControllerFixtures() {}

  /// Parses `a b`: ids separated by spaces.
  static List<NodeId> ids(String text) {
    return text.isBlank()
        ? List.of()
        : Arrays.stream(text.split(" ", -1)).map(NodeId::new).toList();
  }

  /// Parses `c | a b | d`: batches separated by bars; the first is the canaries and may be empty.
  static RolloutPlan plan(String text, String offline) {
    List<List<NodeId>> batches =
        Arrays.stream(text.split("\\|", -1)).map(it -> ids(it.strip())).toList();
    return new RolloutPlan(
        NEW,
        target("*"),
        batches.getFirst(),
        batches.subList(1, batches.size()),
        ids(offline),
        List.of());
  }

  static RolloutSpec spec(String batches, String offline, RolloutLimits limits) {
    return new RolloutSpec(
        ID, "incarnation", 1, new Component("agent"), plan(batches, offline), limits, TIMINGS);
  }

  static RolloutLimits limits(int batch, int failed, int unavailable) {
    return new RolloutLimits(batch, failed, unavailable, 2);
  }

  static DriverClaim claim(long epoch) {
    return new DriverClaim(epoch, "n" + epoch);
  }

  static Rollout created(RolloutSpec spec) {
    return new Rollout.Created(RolloutRun.of(spec, DriverClaim.NONE, RolloutProgress.EMPTY));
  }

  /// A rollout under its first driver.
  static Rollout rolling(RolloutSpec spec) {
    return Rollout.next(created(spec), new Claimed(claim(1)), START);
  }

  static NodeReport report(
      String node, int attempt, NodePhase phase, RollbackReason rollbackReason, long epoch) {
    Task task = spec("| " + node, "", limits(1, 1, 0)).taskFor(attempt);
    return new NodeReport(new NodeId(node), task, phase, rollbackReason, claim(epoch), OLD);
  }

  static Observed observed(String present, NodeReport... reports) {
    List<NodeStatus> statuses = ids(present).stream().map(it -> status(it.value())).toList();
    return new Observed(Set.copyOf(ids(present)), List.of(reports), statuses);
  }

  static NodeProgress progress(Rollout rollout, String node) {
    RolloutRun run = rollout.run();
    return run.progress()
        .progressByNode(run.spec())
        .getOrDefault(new NodeId(node), NodeProgress.EXCLUDED);
  }

  /// The goal that the node is ordered to reach, if any.
  static Optional<Goal> goal(Rollout rollout, String node) {
    return Optional.ofNullable(Rollout.assignments(rollout).get(new NodeId(node)))
        .map(NodeAssignment::goal);
  }
}
