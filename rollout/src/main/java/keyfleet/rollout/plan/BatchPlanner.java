package keyfleet.rollout.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.PriorityQueue;
import keyfleet.rollout.NodeId;

/// Takes nodes in the plan's order, as far as the limit for failure domains allows (R15). A node
/// that must wait keeps its position ahead of the nodes behind it.
final class BatchPlanner {
  /// A node and its position in the order.
  private record Ranked(int rank, NodeId node) {}

  private final FailureDomains failureDomains;
  private final Map<List<String>, Deque<Ranked>> waiting = new LinkedHashMap<>();

  BatchPlanner(FailureDomains failureDomains, List<NodeStatus> order) {
    this.failureDomains = failureDomains;
    for (int i = 0; i < order.size(); i++) {
      waiting
          .computeIfAbsent(failureDomains.domainOf(order.get(i)), _ -> new ArrayDeque<>())
          .add(new Ranked(i, order.get(i).node()));
    }
  }

  /// The next batch, of at most `size` nodes.
  List<NodeId> takeBatch(int size) {
    PriorityQueue<Entry<List<String>, Deque<Ranked>>> domains =
        new PriorityQueue<>(Comparator.comparingInt(it -> it.getValue().element().rank()));
    domains.addAll(waiting.entrySet());
    Map<List<String>, Integer> taken = new HashMap<>();
    List<NodeId> batch = new ArrayList<>();
    while (batch.size() < size && !domains.isEmpty()) {
      Entry<List<String>, Deque<Ranked>> domain = domains.remove();
      batch.add(domain.getValue().remove().node());
      boolean more = taken.merge(domain.getKey(), 1, Integer::sum) < failureDomains.perBatch();
      if (more && !domain.getValue().isEmpty()) {
        domains.add(domain);
      }
    }
    waiting.values().removeIf(Deque::isEmpty);
    return batch;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }
}
