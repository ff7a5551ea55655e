package keyfleet.rollout;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import keyfleet.rollout.Admission.DegradedNodes;
import keyfleet.rollout.NodeStatus.Health;
import keyfleet.rollout.NodeStatus.Missing;
import keyfleet.rollout.NodeStatus.Presence;
import keyfleet.rollout.NodeStatus.Reported;
import keyfleet.rollout.NodeStatus.Unreadable;

/// Short builders for targets, facts, statuses and inventories in tests.
final class Fixtures {
  private Fixtures() {}

  static Target target(String text) {
    return switch (TargetParser.parse(text)) {
      case TargetParser.Parsed(var target) -> target;
      case TargetParser.BadTarget bad -> fail(text + " " + bad);
    };
  }

  static NodeId node(String id) {
    return new NodeId(id);
  }

  static List<NodeId> nodes(String... ids) {
    return Arrays.stream(ids).map(NodeId::new).toList();
  }

  /// Parses `os=Linux; ip=a,b; gpu=`: values are split at commas, and `gpu` is known to have none.
  static Facts facts(String text) {
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
  static NodeStatus status(String text) {
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

  static List<NodeStatus> inventory(String text) {
    return Arrays.stream(text.split(";", -1)).map(each -> status(each.strip())).toList();
  }

  static Admission admission(String target, int minProtocol) {
    return new Admission(target(target), offer(minProtocol), DegradedNodes.EXCLUDED, Map.of());
  }

  /// Any release, for any platform.
  static Offer offer(int minProtocol) {
    return new Offer(new Sha256("ab".repeat(32)), 1, minProtocol, Set.of(), List.of());
  }
}
