package keyfleet.wire;

import java.time.Duration;
import java.util.List;
import keyfleet.rollout.Component;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Task;
import keyfleet.rollout.controller.RolloutLimits;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.controller.RolloutTimings;
import keyfleet.rollout.plan.RolloutPlan;
import keyfleet.rollout.target.Target;
import keyfleet.rollout.target.TargetParser;

/// A small rollout for the tests of its documents.
final class WireFixtures {
  static final Component AGENT = new Component("agent");
  static final Sha256 OLD = new Sha256("aa".repeat(32));
  static final Sha256 RELEASE = new Sha256("bb".repeat(32));
  static final DriverClaim CLAIM = new DriverClaim(7, "n7");

  static final Task TASK =
      new Task(
          new RolloutId("r1"),
          2,
          AGENT,
          RELEASE,
          Duration.ofMillis(1_500),
          Duration.ofMinutes(5),
          Duration.ofSeconds(45));

  /// One canary and a batch of two nodes.
  static final RolloutSpec SPEC =
      new RolloutSpec(
          new RolloutId("r1"),
          "incarnation-r1",
          1,
          AGENT,
          new RolloutPlan(
              RELEASE,
              target("L@a,b,c"),
              List.of(new NodeId("a")),
              List.of(List.of(new NodeId("b"), new NodeId("c"))),
              List.of(),
              List.of()),
          new RolloutLimits(2, 1, 0, 1),
          RolloutTimings.defaults(Duration.ofSeconds(10), Duration.ofSeconds(10)));

  private WireFixtures() {}

  private static Target target(String text) {
    return switch (TargetParser.parse(text)) {
      case TargetParser.Parsed(Target target) -> target;
      case TargetParser.InvalidTarget invalid ->
          throw new IllegalArgumentException(invalid.toString());
    };
  }
}
