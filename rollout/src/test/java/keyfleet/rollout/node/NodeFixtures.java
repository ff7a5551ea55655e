package keyfleet.rollout.node;

import java.time.Duration;
import java.util.List;
import keyfleet.rollout.Component;
import keyfleet.rollout.DesiredState;
import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Task;
import keyfleet.rollout.node.Node.Idle;
import keyfleet.rollout.node.Node.Tasked;
import keyfleet.rollout.node.NodeEvent.AttemptId;
import keyfleet.rollout.node.NodeEvent.FetchFailed;
import keyfleet.rollout.node.NodeEvent.Fetched;
import keyfleet.rollout.node.NodeEvent.OrderReceived;
import keyfleet.rollout.node.NodeEvent.Probed;
import keyfleet.rollout.node.NodeEvent.RulesChecked;
import keyfleet.rollout.node.NodeEvent.Swapped;
import keyfleet.rollout.node.NodeEvent.Ticked;
import keyfleet.rollout.node.NodeEvent.Undone;
import keyfleet.rollout.node.ProbeResult.State;
import keyfleet.rollout.node.SoakHealth.StoreLink;
import keyfleet.rollout.release.ReleaseVerdict;
import keyfleet.rollout.release.ReleaseVerdict.Acceptable;
import keyfleet.rollout.release.ReleaseVerdict.TooFewSignatures;
import keyfleet.rollout.release.ReleaseVerdict.Unacceptable;

/// Short builders for the tests of a node.
final class NodeFixtures {
  static final Sha256 OLD = new Sha256("0".repeat(64));
  static final Sha256 NEW = new Sha256("1".repeat(64));
  static final Sha256 NEWER = new Sha256("2".repeat(64));
  static final RolloutId FIRST = new RolloutId("first");
  static final RolloutId SECOND = new RolloutId("second");
  static final Component AGENT = new Component("agent");
  static final Duration SOAK = Duration.ofMinutes(1);
  static final Duration DEADLINE = Duration.ofMinutes(5);
  static final Duration HEALTH_WAIT = Duration.ofSeconds(30);
  static final ReleaseVerdict BAD = new Unacceptable(List.of(new TooFewSignatures(1, 2)));

  private NodeFixtures() {}

  static Node idle() {
    return new Idle(NodeBaseline.of(new NodeId("web1"), AGENT, OLD));
  }

  static Task task(RolloutId rollout, int attempt, Sha256 release) {
    return new Task(rollout, attempt, AGENT, release, SOAK, DEADLINE, HEALTH_WAIT);
  }

  static DriverClaim claim(long epoch) {
    return new DriverClaim(epoch, "n" + epoch);
  }

  static DesiredState desired(Goal goal, long epoch) {
    return new DesiredState(task(FIRST, 1, NEW), goal, claim(epoch), epoch);
  }

  static OrderReceived order(Goal goal) {
    return new OrderReceived(desired(goal, 1));
  }

  static long seconds(long seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }

  static AttemptId attemptId(Node node) {
    return node instanceof Tasked tasked
        ? new AttemptId(tasked.nodeTask().task().rollout(), tasked.nodeTask().task().attempt())
        : new AttemptId(FIRST, 1);
  }

  /// Parses `STAGED`, `fetched`, `refused`, `ready`, …: an order by its goal, anything else as a
  /// result of the node's own attempt.
  static NodeEvent event(String word, Node node) {
    return switch (word) {
      case "fetched" -> new Fetched(attemptId(node), new Acceptable());
      case "refused" -> new Fetched(attemptId(node), BAD);
      case "fetchFailed" -> new FetchFailed(attemptId(node), "no route");
      case "checkPassed" -> new RulesChecked(attemptId(node), new Acceptable());
      case "checkFailed" -> new RulesChecked(attemptId(node), BAD);
      case "swapped" -> new Swapped(attemptId(node));
      case "undone" -> new Undone(attemptId(node));
      case "ready" -> new Probed(new ProbeResult(State.READY, 0), StoreLink.CONNECTED);
      case "unready" -> new Probed(new ProbeResult(State.NOT_READY, 0), StoreLink.CONNECTED);
      case "cutOff" -> new Probed(new ProbeResult(State.NOT_READY, 0), StoreLink.CUT_OFF);
      case "ticked" -> new Ticked();
      default -> order(Goal.valueOf(word));
    };
  }

  /// The node after these events, each at its time in seconds: `0 STAGED, 5 fetched`.
  static Node after(Node start, String events) {
    Node node = start;
    for (String each : events.split(",", -1)) {
      String[] parts = each.strip().split(" ", 2);
      node = Node.next(node, event(parts[1], node), seconds(Long.parseLong(parts[0])));
    }
    return node;
  }

  static String name(Node node) {
    return node.getClass().getSimpleName();
  }

  static final String STAGED = "0 STAGED, 1 fetched";
  static final String APPLYING = STAGED + ", 2 APPLIED";
  static final String SOAKING = APPLYING + ", 2 checkPassed, 3 swapped, 10 ready";
  static final String SOAKED =
      SOAKING + ", 20 ready, 30 ready, 40 ready, 50 ready, 60 ready, 70 ready";
  static final String CONFIRMED = SOAKED + ", 71 CONFIRMED";
}
