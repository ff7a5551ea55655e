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

  static Sha256 of(List<NodeStatus> nodes) {
    CanonicalEncoder encoder = new CanonicalEncoder("keyfleet-inventory-1").addInt(nodes.size());
    nodes.stream()
        .sorted(Comparator.comparing(NodeStatus::node))
        .forEach(status -> add(encoder, status));
    return Sha256.of(encoder.toBytes());
  }

  private static void add(CanonicalEncoder encoder, NodeStatus status) {
    encoder.addText(status.node().value()).addText(status.presence().name());
    switch (status.report()) {
      case Missing _ -> encoder.addText("missing");
      case Unreadable _ -> encoder.addText("unreadable");
      case Reported(var health, int protocol, var running, var quarantine) ->
          encoder
              .addText(health.name())
              .addInt(protocol)
              .addText(running.value())
              .addTexts(quarantine.attempts().entrySet());
    }
    encoder.addInt(status.facts().values().size());
    status.facts().values().forEach((path, values) -> encoder.addText(path).addTexts(values));
  }
}
