package keyfleet.rollout.plan;

import keyfleet.rollout.CanonicalEncoder;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.ReleaseVersion;

/// A targeted node that a rollout leaves out, and why.
public record ExcludedNode(NodeId node, Reason reason) {
  public sealed interface Reason {
    default String description() {
      return switch (this) {
        case Degraded _ -> "degraded";
        case FactUnknown _ -> "a fact of the target is unknown";
        case NotTargeted _ -> "the target does not take it any more";
        case HeldBack(var why) -> why;
        case Quarantined(int attempt) ->
            "quarantined: it rolled this release back in attempt " + attempt;
        case NotAllowedFrom(var running) -> "not allowed from version " + running;
        case WrongPlatform _ -> "of another platform, or of none that it says";
        case ProtocolTooOld(int protocol, int min) -> "protocol " + protocol + " < " + min;
        case UnreadableStatus _ -> "unreadable status";
      };
    }
  }

  public record Degraded() implements Reason {}

  /// The target cannot be evaluated for the node, so the node is neither in nor out.
  public record FactUnknown() implements Reason {}

  /// The node's facts have changed since the plan was made.
  public record NotTargeted() implements Reason {}

  /// Pinned, or named by the operator.
  public record HeldBack(String reason) implements Reason {
    public HeldBack {
      CanonicalEncoder.checkText(reason);
    }
  }

  /// The node has rolled this release back, and the operator has not asked for a later attempt
  /// (R17).
  public record Quarantined(int attempt) implements Reason {}

  public record WrongPlatform() implements Reason {}

  /// The release does not allow an update from the version that the node reports, or the node
  /// reports none.
  public record NotAllowedFrom(ReleaseVersion running) implements Reason {}

  /// Found when the node was about to start; during preflight it would have refused the rollout.
  public record ProtocolTooOld(int protocol, int minProtocol) implements Reason {}

  /// Found when the node was about to start; during preflight it would have refused the rollout.
  public record UnreadableStatus() implements Reason {}

  @Override
  public String toString() {
    return node + " (" + reason.description() + ")";
  }
}
