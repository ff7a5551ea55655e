package keyfleet.rollout.node;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import keyfleet.rollout.Component;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.Sha256;

/// What a node has apart from its current task: the release it last confirmed, the one before that,
/// and the rollouts it has finished, latest last.
public record NodeBaseline(
    NodeId node,
    Component component,
    Sha256 confirmed,
    Sha256 previous,
    List<TaskHistoryEntry> history) {
  /// Beyond this limit the node forgets the oldest rollout together with its claim. It would then
  /// obey a driver of that rollout again; the release counter still blocks releases older than the
  /// running one.
  public static final int MAX_HISTORY = 32;

  public NodeBaseline {
    history = List.copyOf(history);
    if (history.size() > MAX_HISTORY) {
      throw new IllegalArgumentException(
          "at most " + MAX_HISTORY + " finished rollouts, not " + history.size());
    }
  }

  /// For a node that no rollout has reached yet.
  public static NodeBaseline of(NodeId node, Component component, Sha256 running) {
    return new NodeBaseline(node, component, running, running, List.of());
  }

  Optional<TaskHistoryEntry> historyEntry(RolloutId rollout) {
    return history.stream().filter(it -> it.task().rollout().equals(rollout)).findFirst();
  }

  NodeBaseline withHistoryEntry(TaskHistoryEntry entry) {
    Stream<TaskHistoryEntry> others =
        history.stream().filter(it -> !it.task().rollout().equals(entry.task().rollout()));
    List<TaskHistoryEntry> all = Stream.concat(others, Stream.of(entry)).toList();
    int first = Math.max(0, all.size() - MAX_HISTORY);
    return new NodeBaseline(node, component, confirmed, previous, all.subList(first, all.size()));
  }

  NodeBaseline afterConfirm(Sha256 release) {
    return new NodeBaseline(node, component, release, confirmed, history);
  }

  /// A second revert is impossible: the release before the previous one is no longer kept.
  NodeBaseline afterRevert() {
    return new NodeBaseline(node, component, previous, previous, history);
  }

  /// Neither release may ever be deleted (R8).
  boolean isKept(Sha256 release) {
    return release.equals(confirmed) || release.equals(previous);
  }
}
