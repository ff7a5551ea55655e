package keyfleet.rollout;

import java.util.List;
import java.util.stream.Collectors;

/// The answer to "may this rollout start, and with whom?", for dry runs too. Nodes that the target
/// does not take appear nowhere; every other node appears once. All lists are in the order of ids.
public sealed interface Preflight {
  /// Offline nodes are in a lane of their own, and are checked when they return. `inventory` is the
  /// revision of what was asked.
  record Passed(
      List<NodeStatus> eligible,
      List<NodeStatus> offline,
      List<Exclusion> excluded,
      Sha256 inventory)
      implements Preflight {
    public Passed {
      eligible = List.copyOf(eligible);
      offline = List.copyOf(offline);
      excluded = List.copyOf(excluded);
    }
  }

  sealed interface Refused extends Preflight {
    default String words() {
      return switch (this) {
        case UnreadableStatus(var nodes) -> "unreadable status: " + joined(nodes);
        case NoEligibleNodes refused ->
            "no eligible nodes (" + refused.degraded() + " degraded excluded)";
        case ProtocolTooOld(var nodes) -> joined(nodes);
      };
    }

    private static String joined(List<?> items) {
      return items.stream().map(Object::toString).collect(Collectors.joining(", "));
    }
  }

  /// Not knowing is not the same as healthy. An operator who must go on holds the node back.
  record UnreadableStatus(List<NodeId> nodes) implements Refused {
    public UnreadableStatus {
      nodes = List.copyOf(nodes);
    }
  }

  record NoEligibleNodes(List<NodeId> offline, List<Exclusion> excluded) implements Refused {
    public NoEligibleNodes {
      offline = List.copyOf(offline);
      excluded = List.copyOf(excluded);
    }

    public long degraded() {
      return excluded.stream().filter(e -> e.reason() instanceof Exclusion.Degraded).count();
    }
  }

  /// Refuses the whole rollout: a node that cannot speak the protocol could not be rolled back.
  record ProtocolTooOld(List<OldNode> nodes) implements Refused {
    public ProtocolTooOld {
      nodes = List.copyOf(nodes);
    }
  }

  record OldNode(NodeId node, int protocol, int minProtocol) {
    @Override
    public String toString() {
      return node + " (protocol " + protocol + " < " + minProtocol + ")";
    }
  }

  static Preflight of(Admission admission, List<NodeStatus> inventory) {
    return Sorting.of(admission, inventory).outcome();
  }
}
