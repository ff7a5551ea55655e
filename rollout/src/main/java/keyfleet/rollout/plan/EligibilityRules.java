package keyfleet.rollout.plan;

import java.util.Map;
import java.util.Optional;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.Platform;
import keyfleet.rollout.plan.ExcludedNode.Degraded;
import keyfleet.rollout.plan.ExcludedNode.FactUnknown;
import keyfleet.rollout.plan.ExcludedNode.HeldBack;
import keyfleet.rollout.plan.ExcludedNode.NotAllowedFrom;
import keyfleet.rollout.plan.ExcludedNode.NotTargeted;
import keyfleet.rollout.plan.ExcludedNode.ProtocolTooOld;
import keyfleet.rollout.plan.ExcludedNode.Quarantined;
import keyfleet.rollout.plan.ExcludedNode.Reason;
import keyfleet.rollout.plan.ExcludedNode.UnreadableStatus;
import keyfleet.rollout.plan.ExcludedNode.WrongPlatform;
import keyfleet.rollout.plan.NodeStatus.Unreadable;
import keyfleet.rollout.release.OfferedRelease;
import keyfleet.rollout.target.Target;
import keyfleet.rollout.target.TargetMatch;

/// Which nodes a rollout may update: the target, the offered release, and the nodes that are left
/// out. `heldBack` gives the reason for each node (pinned, or named by the operator). These rules
/// are frozen with the plan, because every node is checked by them again when it starts (R16).
public record EligibilityRules(
    Target target,
    OfferedRelease offeredRelease,
    DegradedNodes degraded,
    Map<NodeId, String> heldBack) {
  /// The fact in which a node states its platform.
  public static final String PLATFORM = "platform";

  /// A release that repairs degraded nodes must reach them (R17).
  public enum DegradedNodes {
    EXCLUDED,
    INCLUDED
  }

  public EligibilityRules {
    heldBack = Map.copyOf(heldBack);
  }

  /// The nodes that match the target and are not degraded.
  public static EligibilityRules of(Target target, OfferedRelease offeredRelease) {
    return new EligibilityRules(target, offeredRelease, DegradedNodes.EXCLUDED, Map.of());
  }

  public TargetMatch match(NodeStatus status) {
    return target.matches(status.node(), status.facts());
  }

  /// Why a node that is about to start does not get the release; empty if it gets it. The node may
  /// be new, or may have been offline since preflight. Preflight applies the same rules, except
  /// that there an unreadable status or an old protocol refuses the whole rollout.
  public Optional<Reason> objectionAtStart(NodeStatus status) {
    if (status.report() instanceof Unreadable) {
      return heldBackReason(status).or(() -> Optional.of(new UnreadableStatus()));
    }
    return heldBackReason(status)
        .or(() -> targetObjection(status))
        .or(() -> objection(status))
        .or(() -> protocolObjection(status));
  }

  private Optional<Reason> targetObjection(NodeStatus status) {
    return switch (match(status)) {
      case YES -> Optional.empty();
      case NO -> Optional.of(new NotTargeted());
      case UNKNOWN -> Optional.of(new FactUnknown());
    };
  }

  Optional<Reason> heldBackReason(NodeStatus status) {
    return Optional.ofNullable(heldBack.get(status.node())).map(HeldBack::new);
  }

  /// Why an online node with a readable status is left out; empty if it is not.
  Optional<Reason> objection(NodeStatus status) {
    if (status.quarantine().isBlocked(offeredRelease)) {
      return Optional.of(new Quarantined(status.quarantine().attemptOf(offeredRelease.release())));
    }
    if (status.isDegraded() && degraded == DegradedNodes.EXCLUDED) {
      return Optional.of(new Degraded());
    }
    if (!offeredRelease.platforms().isEmpty() && !isBuiltFor(status)) {
      return Optional.of(new WrongPlatform());
    }
    return offeredRelease.canUpdateFrom(status.running())
        ? Optional.empty()
        : Optional.of(new NotAllowedFrom(status.running()));
  }

  private boolean isBuiltFor(NodeStatus status) {
    return status.facts().valuesAt(PLATFORM).stream()
        .anyMatch(
            it -> offeredRelease.platforms().stream().map(Platform::value).anyMatch(it::contains));
  }

  private Optional<Reason> protocolObjection(NodeStatus status) {
    return status.protocol() < offeredRelease.minProtocol()
        ? Optional.of(new ProtocolTooOld(status.protocol(), offeredRelease.minProtocol()))
        : Optional.empty();
  }
}
