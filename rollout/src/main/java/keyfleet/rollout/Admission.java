package keyfleet.rollout;

import java.util.Map;

/// Whom a rollout is for: the target, the release's min protocol, and who is left out. `heldBack`
/// says why for each node (pinned, quarantined, named by the operator).
public record Admission(
    Target target, int minProtocol, DegradedNodes degraded, Map<NodeId, String> heldBack) {
  /// A release that repairs degraded nodes must reach them.
  public enum DegradedNodes {
    EXCLUDED,
    INCLUDED
  }

  public Admission {
    heldBack = Map.copyOf(heldBack);
    if (minProtocol < 0) {
      throw new IllegalArgumentException("a min protocol is not negative: " + minProtocol);
    }
  }
}
