package keyfleet.rollout.plan;

import java.util.Comparator;
import java.util.List;
import keyfleet.rollout.CanonicalEncoder;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.plan.NodeStatus.Missing;
import keyfleet.rollout.plan.NodeStatus.Reported;
import keyfleet.rollout.plan.NodeStatus.Unreadable;

/// A digest over the enrolled nodes as preflight saw them, because stores have no revision for a
/// whole bucket. Two plans with the same revision had the same nodes to choose from (R15).
final class InventoryDigest {
  private InventoryDigest() {}

  static Sha256 revision(List<NodeStatus> nodes) {
    CanonicalEncoder items = new CanonicalEncoder("keyfleet-inventory-1").int32(nodes.size());
    nodes.stream()
        .sorted(Comparator.comparing(NodeStatus::node))
        .forEach(status -> add(items, status));
    return Sha256.of(items.encoded());
  }

  private static void add(CanonicalEncoder items, NodeStatus status) {
    items.utf8(status.node().value()).utf8(status.presence().name());
    switch (status.report()) {
      case Missing _ -> items.utf8("missing");
      case Unreadable _ -> items.utf8("unreadable");
      case Reported(var health, int protocol, var running, var quarantine) ->
          items
              .utf8(health.name())
              .int32(protocol)
              .utf8(running.value())
              .texts(quarantine.attempts().entrySet());
    }
    items.int32(status.facts().values().size());
    status.facts().values().forEach((path, values) -> items.utf8(path).texts(values));
  }
}
