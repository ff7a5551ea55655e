package keyfleet.rollout;

import java.util.Map;
import java.util.Optional;
import keyfleet.rollout.Exclusion.Degraded;
import keyfleet.rollout.Exclusion.FactUnknown;
import keyfleet.rollout.Exclusion.HeldBack;
import keyfleet.rollout.Exclusion.NotAllowedFrom;
import keyfleet.rollout.Exclusion.NotTargeted;
import keyfleet.rollout.Exclusion.ProtocolTooOld;
import keyfleet.rollout.Exclusion.Quarantined;
import keyfleet.rollout.Exclusion.Reason;
import keyfleet.rollout.Exclusion.UnreadableStatus;
import keyfleet.rollout.Exclusion.WrongPlatform;
import keyfleet.rollout.NodeStatus.Unreadable;

/// Whom a rollout is for: the target, what is offered, and who is left out. `heldBack` says why for
/// each node (pinned, or named by the operator). It is frozen with the plan, as each node is asked
/// the same again when its turn comes (R16).
public record Admission(
    Target target, Offer offer, DegradedNodes degraded, Map<NodeId, String> heldBack) {
  /// The fact in which a node says what it is built like.
  public static final String PLATFORM = "platform";

  /// A release that repairs degraded nodes must reach them (R17).
  public enum DegradedNodes {
    EXCLUDED,
    INCLUDED
  }

  public Admission {
    heldBack = Map.copyOf(heldBack);
  }

  /// Everyone whom the target takes and who is well.
  public static Admission of(Target target, Offer offer) {
    return new Admission(target, offer, DegradedNodes.EXCLUDED, Map.of());
  }

  public Match match(NodeStatus status) {
    return target.matches(status.node(), status.facts());
  }

  /// Why a node whose turn has come does not get the release, if so: it may have come late, or have
  /// been away. Preflight asks the same, except that there an unreadable status or an old protocol
  /// refuses the rollout as a whole.
  Optional<Reason> objectionInTurn(NodeStatus status) {
    if (status.report() instanceof Unreadable) {
      return held(status).or(() -> Optional.of(new UnreadableStatus()));
    }
    return held(status)
        .or(() -> strayed(status))
        .or(() -> objection(status))
        .or(() -> oldProtocol(status));
  }

  private Optional<Reason> strayed(NodeStatus status) {
    return switch (match(status)) {
      case YES -> Optional.empty();
      case NO -> Optional.of(new NotTargeted());
      case UNKNOWN -> Optional.of(new FactUnknown());
    };
  }

  Optional<Reason> held(NodeStatus status) {
    return Optional.ofNullable(heldBack.get(status.node())).map(HeldBack::new);
  }

  /// Why a node that can be asked is left out, if so.
  Optional<Reason> objection(NodeStatus status) {
    if (status.quarantine().bars(offer)) {
      return Optional.of(new Quarantined(status.quarantine().attemptOf(offer.release())));
    }
    if (status.isDegraded() && degraded == DegradedNodes.EXCLUDED) {
      return Optional.of(new Degraded());
    }
    if (!offer.platforms().isEmpty() && !isBuiltFor(status)) {
      return Optional.of(new WrongPlatform());
    }
    return offer.allowsFrom(status.running())
        ? Optional.empty()
        : Optional.of(new NotAllowedFrom(status.running()));
  }

  private boolean isBuiltFor(NodeStatus status) {
    return status.facts().at(PLATFORM).stream()
        .anyMatch(it -> offer.platforms().stream().map(Platform::value).anyMatch(it::contains));
  }

  private Optional<Reason> oldProtocol(NodeStatus status) {
    return status.protocol() < offer.minProtocol()
        ? Optional.of(new ProtocolTooOld(status.protocol(), offer.minProtocol()))
        : Optional.empty();
  }
}
