package keyfleet.rollout;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import keyfleet.rollout.plan.EligibilityRules;
import keyfleet.rollout.plan.EligibilityRules.DegradedNodes;
import keyfleet.rollout.plan.NodeStatus;
import keyfleet.rollout.plan.NodeStatus.Health;
import keyfleet.rollout.plan.NodeStatus.Missing;
import keyfleet.rollout.plan.NodeStatus.Presence;
import keyfleet.rollout.plan.NodeStatus.Reported;
import keyfleet.rollout.plan.NodeStatus.Unreadable;
import keyfleet.rollout.release.OfferedRelease;
import keyfleet.rollout.target.Facts;
import keyfleet.rollout.target.Target;
import keyfleet.rollout.target.TargetParser;

/// Short builders for targets, facts, statuses and inventories in tests.
public final class RolloutFixtures {
  private RolloutFixtures() {}

  public static Target target(String text) {
    return switch (TargetParser.parse(text)) {
      case TargetParser.Parsed(var target) -> target;
      case TargetParser.InvalidTarget bad -> fail(text + " " + bad);
    };
  }

  public static NodeId node(String id) {
    return new NodeId(id);
  }

  public static List<NodeId> nodes(String... ids) {
    return Arrays.stream(ids).map(NodeId::new).toList();
  }

  /// Parses `os=Linux; ip=a,b; gpu=`: values are split at commas, and `gpu` is known to have none.
  public static Facts facts(String text) {
    return text.isBlank()
        ? Facts.NONE
        : new Facts(
            Arrays.stream(text.split(";", -1))
                .map(fact -> fact.strip().split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> values(pair[1]))));
  }

  private static List<String> values(String text) {
    return text.isEmpty() ? List.of() : List.of(text.split(",", -1));
  }

  /// Parses `web1 offline degraded 3`: an id, then what differs from an online, healthy node with
  /// protocol 0.
  public static NodeStatus status(String text) {
    List<String> words = List.of(text.split(" ", -1));
    int protocol =
        words.stream().filter(w -> w.matches("[0-9]+")).mapToInt(Integer::parseInt).sum();
    Health health = words.contains("degraded") ? Health.DEGRADED : Health.HEALTHY;
    NodeStatus.Report report = new Reported(health, protocol);
    if (words.contains("unreadable")) {
      report = new Unreadable();
    } else if (words.contains("missing")) {
      report = new Missing();
    }
    Presence presence = words.contains("offline") ? Presence.OFFLINE : Presence.ONLINE;
    return new NodeStatus(node(words.getFirst()), presence, report, Facts.NONE);
  }

  public static List<NodeStatus> inventory(String text) {
    return Arrays.stream(text.split(";", -1)).map(each -> status(each.strip())).toList();
  }

  public static EligibilityRules eligibility(String target, int minProtocol) {
    return new EligibilityRules(
        target(target), offeredRelease(minProtocol), DegradedNodes.EXCLUDED, Map.of());
  }

  /// Any release, for any platform.
  public static OfferedRelease offeredRelease(int minProtocol) {
    return new OfferedRelease(new Sha256("ab".repeat(32)), 1, minProtocol, Set.of(), List.of());
  }
}
