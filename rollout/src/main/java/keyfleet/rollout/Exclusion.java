package keyfleet.rollout;

/// A targeted node that a rollout leaves out, and why.
public record Exclusion(NodeId node, Reason reason) {
  public sealed interface Reason {
    default String words() {
      return switch (this) {
        case Degraded _ -> "degraded";
        case FactUnknown _ -> "a fact of the target is unknown";
        case HeldBack(var why) -> why;
      };
    }
  }

  public record Degraded() implements Reason {}

  /// The target cannot be decided for the node, so it is neither in nor out.
  public record FactUnknown() implements Reason {}

  /// Pinned, quarantined or named by the operator.
  public record HeldBack(String why) implements Reason {
    public HeldBack {
      Items.checkText(why);
    }
  }

  @Override
  public String toString() {
    return node + " (" + reason.words() + ")";
  }
}
