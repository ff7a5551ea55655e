package keyfleet.rollout;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// What has become of each node: the durable part of a rollout, without any time in it. Nodes that
/// took the usual path are not listed, which keeps the ledger small: in batches below `kept` they
/// are confirmed, from there to `passed` they were confirmed and have since been reverted, and in
/// the rest they have not started. `excluded` lists nodes that were left out when they were about
/// to start, with the reason (R16).
public record Ledger(
    int passed, int kept, SortedMap<NodeId, Place> places, List<Exclusion> excluded) {
  public static final Ledger EMPTY = new Ledger(0, 0, new TreeMap<>());

  public Ledger(int passed, int kept, SortedMap<NodeId, Place> places) {
    this(passed, kept, places, List.of());
  }

  public Ledger {
    if (kept < 0 || kept > passed) {
      throw new IllegalArgumentException("cannot keep %d of %d batches".formatted(kept, passed));
    }
    places = Collections.unmodifiableSortedMap(new TreeMap<>(places));
    excluded = List.copyOf(excluded);
  }

  /// Every node of the plan and every node that came later, each once (I10).
  public Map<NodeId, Standing> standings(RolloutSpec spec) {
    Map<NodeId, Standing> all = new LinkedHashMap<>();
    for (int batch = 0; batch < spec.batches(); batch++) {
      put(all, spec.batch(batch), usual(batch));
    }
    put(all, spec.plan().offline(), Standing.PENDING_OFFLINE);
    spec.plan().excluded().forEach(it -> all.put(it.node(), Standing.EXCLUDED));
    places.forEach((node, place) -> all.putIfAbsent(node, place.standing()));
    return all;
  }

  private void put(Map<NodeId, Standing> all, List<NodeId> nodes, Standing unlisted) {
    for (NodeId node : nodes) {
      Place place = places.get(node);
      all.put(node, place == null ? unlisted : place.standing());
    }
  }

  /// The progress of the nodes of a batch that are not listed.
  private Standing usual(int batch) {
    if (batch < kept) {
      return Standing.CONFIRMED;
    }
    return batch < passed ? Standing.REVERTED : Standing.PENDING;
  }

  /// Distinct nodes, however often each one reported its failure (I7).
  public List<NodeId> failed() {
    return nodes(Standing.FAILING, Standing.FAILED);
  }

  /// Over all nodes.
  public Tally tally(RolloutSpec spec) {
    Tally tally = Tally.NONE;
    for (Place place : places.values()) {
      tally = tally.plus(place, spec.attempt());
    }
    for (int batch = 0; batch < passed; batch++) {
      tally =
          tally.plusGood(spec.batch(batch).stream().filter(it -> !places.containsKey(it)).count());
    }
    return tally;
  }

  /// Over these nodes, none of which is in a batch that has passed.
  public Tally tally(RolloutSpec spec, Collection<NodeId> nodes) {
    Tally tally = Tally.NONE;
    for (NodeId node : nodes) {
      Place place = places.get(node);
      tally = place == null ? tally : tally.plus(place, spec.attempt());
    }
    return tally;
  }

  /// The nodes that a stopping rollout still waits for.
  public List<NodeId> awaited() {
    return nodes(Standing.RECALLING, Standing.REVERTING, Standing.FAILING);
  }

  private List<NodeId> nodes(Standing... standings) {
    List<Standing> wanted = List.of(standings);
    return places.entrySet().stream()
        .filter(it -> wanted.contains(it.getValue().standing()))
        .map(Map.Entry::getKey)
        .toList();
  }
}
