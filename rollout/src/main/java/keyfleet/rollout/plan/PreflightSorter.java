package keyfleet.rollout.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.plan.ExcludedNode.Reason;
import keyfleet.rollout.plan.NodeStatus.Presence;
import keyfleet.rollout.plan.NodeStatus.Unreadable;
import keyfleet.rollout.target.TargetMatch;

/// Puts each node of the inventory into one set; [#toPreflight] turns the sets into the result.
final class PreflightSorter {
  private final EligibilityRules rules;
  private final Sha256 inventory;
  private final List<NodeStatus> eligible = new ArrayList<>();
  private final List<NodeStatus> offline = new ArrayList<>();
  private final List<ExcludedNode> excluded = new ArrayList<>();
  private final List<NodeId> unreadable = new ArrayList<>();

  private PreflightSorter(EligibilityRules rules, Sha256 inventory) {
    this.rules = rules;
    this.inventory = inventory;
  }

  static PreflightSorter sort(EligibilityRules rules, List<NodeStatus> inventory) {
    PreflightSorter sorter = new PreflightSorter(rules, InventoryDigest.of(inventory));
    Set<NodeId> seen = new HashSet<>();
    List<NodeStatus> sorted = new ArrayList<>(inventory);
    sorted.sort(Comparator.comparing(NodeStatus::node));
    for (NodeStatus status : sorted) {
      if (!seen.add(status.node())) {
        throw new IllegalArgumentException("node is in the inventory twice: " + status.node());
      }
      sorter.add(status, rules.match(status));
    }
    return sorter;
  }

  /// The first rule that applies decides. Nodes held back come before unreadable statuses, or one
  /// broken record would stop every rollout.
  private void add(NodeStatus status, TargetMatch match) {
    if (match == TargetMatch.NO) {
      return;
    }
    Optional<Reason> heldBack = rules.heldBackReason(status);
    if (heldBack.isPresent()) {
      exclude(status, heldBack.get());
    } else if (status.report() instanceof Unreadable) {
      unreadable.add(status.node());
    } else if (match == TargetMatch.UNKNOWN) {
      exclude(status, new ExcludedNode.FactUnknown());
    } else if (status.presence() == Presence.OFFLINE) {
      offline.add(status);
    } else {
      rules
          .objection(status)
          .ifPresentOrElse(reason -> exclude(status, reason), () -> eligible.add(status));
    }
  }

  private void exclude(NodeStatus status, Reason reason) {
    excluded.add(new ExcludedNode(status.node(), reason));
  }

  Preflight toPreflight() {
    if (!unreadable.isEmpty()) {
      return new Preflight.UnreadableStatus(unreadable);
    }
    if (eligible.isEmpty()) {
      List<NodeId> waiting = offline.stream().map(NodeStatus::node).toList();
      return new Preflight.NoEligibleNodes(waiting, excluded);
    }
    List<Preflight.OutdatedNode> old = outdatedNodes();
    return old.isEmpty()
        ? new Preflight.Passed(eligible, offline, excluded, inventory)
        : new Preflight.ProtocolTooOld(old);
  }

  /// No protocol is below 0, so a min protocol of 0 refuses no node.
  private List<Preflight.OutdatedNode> outdatedNodes() {
    int min = rules.offeredRelease().minProtocol();
    return eligible.stream()
        .filter(status -> status.protocol() < min)
        .map(status -> new Preflight.OutdatedNode(status.node(), status.protocol(), min))
        .toList();
  }
}
