package keyfleet.rollout;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import keyfleet.rollout.Preflight.Passed;
import keyfleet.rollout.Shape.FirstOnes;
import keyfleet.rollout.Shape.NoCanaries;
import keyfleet.rollout.Shape.Selected;

/// Which node gets a release in which batch. It is frozen when the rollout is created, and is the
/// same for a dry run: the same nodes give the same plan in whatever order they are read.
public record Plan(
    Sha256 release,
    Target target,
    List<NodeId> canaries,
    List<List<NodeId>> batches,
    List<NodeId> offline,
    List<Exclusion> excluded) {
  public Plan {
    canaries = List.copyOf(canaries);
    batches = batches.stream().map(List::copyOf).toList();
    offline = List.copyOf(offline);
    excluded = List.copyOf(excluded);
  }

  /// `release` is the digest of the manifest, `target` what preflight resolved.
  public static Planning of(Sha256 release, Target target, Shape shape, Passed passed) {
    List<NodeId> order = ordered(shape.seed(), passed.eligible());
    Set<NodeId> canaries = canaries(shape, order, passed.eligible());
    if (shape.canaries() instanceof Selected(var selector) && canaries.isEmpty()) {
      return new Planning.NoCanaryFound(selector);
    }
    List<NodeId> rest = order.stream().filter(node -> !canaries.contains(node)).toList();
    return new Planning.Planned(
        new Plan(
            release,
            target,
            List.copyOf(canaries),
            cut(rest, shape.batchSize()),
            ordered(shape.seed(), passed.offline()),
            passed.excluded().stream().sorted(Comparator.comparing(Exclusion::node)).toList()));
  }

  /// By hash: neighbours in name are often neighbours in a rack, and must not fail together.
  private static List<NodeId> ordered(String seed, List<NodeStatus> nodes) {
    record Place(Sha256 hash, NodeId node) {}
    return nodes.stream()
        .map(status -> new Place(place(seed, status.node()), status.node()))
        .sorted(Comparator.comparing(Place::hash).thenComparing(Place::node))
        .map(Place::node)
        .toList();
  }

  private static Sha256 place(String seed, NodeId node) {
    return Sha256.of(new Items("keyfleet-order-1").utf8(seed).utf8(node.value()).encoded());
  }

  private static Set<NodeId> canaries(Shape shape, List<NodeId> order, List<NodeStatus> nodes) {
    List<NodeId> chosen =
        switch (shape.canaries()) {
          case NoCanaries _ -> List.of();
          case FirstOnes(int count) -> order.subList(0, Math.min(count, order.size()));
          case Selected(var selector) ->
              ordered(shape.seed(), nodes.stream().filter(node -> takes(selector, node)).toList());
        };
    return new LinkedHashSet<>(chosen);
  }

  private static boolean takes(Target selector, NodeStatus status) {
    return selector.matches(status.node(), status.facts()) == Match.YES;
  }

  private static List<List<NodeId>> cut(List<NodeId> nodes, int size) {
    List<List<NodeId>> batches = new ArrayList<>();
    for (int start = 0; start < nodes.size(); start += size) {
      batches.add(nodes.subList(start, Math.min(nodes.size(), start + size)));
    }
    return batches;
  }

  /// What a dry run prints and the run that follows must repeat.
  public Sha256 hash() {
    Items items =
        new Items("keyfleet-plan-1").digest(release).utf8(target.toString()).texts(canaries);
    items.int32(batches.size());
    batches.forEach(items::texts);
    return Sha256.of(items.texts(offline).texts(excluded).encoded());
  }
}
