package keyfleet.rollout;

import java.util.List;

/// How many nodes of one failure domain may be in one batch (R15). A domain is what nodes share the
/// value of a fact with, such as `zone`; those of whom no value is known are one domain together.
public sealed interface Spread {
  record Anywhere() implements Spread {}

  record Within(String fact, int perBatch) implements Spread {
    public Within {
      Items.checkText(fact);
      if (fact.isEmpty() || perBatch < 1) {
        throw new IllegalArgumentException(
            "a domain has a name, and at least 1 node a batch: " + fact + ", " + perBatch);
      }
    }
  }

  /// The domain of a node, and how many of it may be together.
  default List<String> domain(NodeStatus status) {
    return this instanceof Within(var fact, _)
        ? status.facts().at(fact).orElse(List.of()).stream().sorted().toList()
        : List.of();
  }

  default int perBatch() {
    return this instanceof Within(_, int perBatch) ? perBatch : Integer.MAX_VALUE;
  }
}
