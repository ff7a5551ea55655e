package keyfleet.rollout.plan;

import java.util.List;
import keyfleet.rollout.CanonicalEncoder;

/// How many nodes of one failure domain may be in one batch (R15). Nodes with the same value of a
/// fact, such as `zone`, share a domain; nodes without a known value form one domain together.
public sealed interface FailureDomains {
  record Unlimited() implements FailureDomains {}

  record Limited(String fact, int perBatch) implements FailureDomains {
    public Limited {
      CanonicalEncoder.checkText(fact);
      if (fact.isEmpty() || perBatch < 1) {
        throw new IllegalArgumentException(
            "a domain limit needs a fact, and at least 1 node per batch: "
                + fact
                + ", "
                + perBatch);
      }
    }
  }

  /// The domain of a node.
  default List<String> domainOf(NodeStatus status) {
    return this instanceof Limited(var fact, _)
        ? status.facts().valuesAt(fact).orElse(List.of()).stream().sorted().toList()
        : List.of();
  }

  default int perBatch() {
    return this instanceof Limited(_, int perBatch) ? perBatch : Integer.MAX_VALUE;
  }
}
