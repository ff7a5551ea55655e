package keyfleet.rollout.plan;

import java.util.List;
import java.util.stream.Collectors;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.Sha256;

/// Whether a rollout may start and with which nodes, for dry runs too. Nodes outside the target
/// appear nowhere; every other node appears once. All lists are ordered by node id.
public sealed interface Preflight {
  /// Offline nodes are listed apart and are checked when they return. `inventory` is the revision
  /// of the nodes that were checked.
  record Passed(
      List<NodeStatus> eligible,
      List<NodeStatus> offline,
      List<ExcludedNode> excluded,
      Sha256 inventory)
      implements Preflight {
    public Passed {
      eligible = List.copyOf(eligible);
      offline = List.copyOf(offline);
      excluded = List.copyOf(excluded);
    }
  }

  sealed interface Refused extends Preflight {
    default String description() {
      return switch (this) {
        case UnreadableStatus(var nodes) -> "unreadable status: " + join(nodes);
        case NoEligibleNodes refused ->
            "no eligible nodes (" + refused.degradedCount() + " degraded excluded)";
        case ProtocolTooOld(var nodes) -> join(nodes);
      };
    }

    private static String join(List<?> items) {
      return items.stream().map(Object::toString).collect(Collectors.joining(", "));
    }
  }

  /// Unknown is not healthy. To continue, the operator holds the node back.
  record UnreadableStatus(List<NodeId> nodes) implements Refused {
    public UnreadableStatus {
      nodes = List.copyOf(nodes);
    }
  }

  record NoEligibleNodes(List<NodeId> offline, List<ExcludedNode> excluded) implements Refused {
    public NoEligibleNodes {
      offline = List.copyOf(offline);
      excluded = List.copyOf(excluded);
    }

    public long degradedCount() {
      return excluded.stream().filter(e -> e.reason() instanceof ExcludedNode.Degraded).count();
    }
  }

  /// Refuses the whole rollout: a node that does not speak the protocol could not be rolled back.
  record ProtocolTooOld(List<OutdatedNode> nodes) implements Refused {
    public ProtocolTooOld {
      nodes = List.copyOf(nodes);
    }
  }

  record OutdatedNode(NodeId node, int protocol, int minProtocol) {
    @Override
    public String toString() {
      return node + " (protocol " + protocol + " < " + minProtocol + ")";
    }
  }

  static Preflight of(EligibilityRules rules, List<NodeStatus> inventory) {
    return PreflightSorter.sort(rules, inventory).toPreflight();
  }
}
