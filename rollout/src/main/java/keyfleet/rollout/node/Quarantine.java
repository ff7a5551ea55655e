package keyfleet.rollout.node;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.release.OfferedRelease;

/// The releases that a node has found bad and rolled back, each with the attempt in which it last
/// did (R17). Such a release is offered to the node again only in a later attempt, which only an
/// operator starts. The node reports its own quarantine, for as long as it remembers the rollout.
public record Quarantine(SortedMap<Sha256, Integer> attempts) {
  public static final Quarantine NONE = new Quarantine(new TreeMap<>());

  public Quarantine {
    attempts = Collections.unmodifiableSortedMap(new TreeMap<>(attempts));
  }

  public static Quarantine of(Node node) {
    SortedMap<Sha256, Integer> attempts = new TreeMap<>();
    node.baseline().history().forEach(entry -> addTask(attempts, entry));
    if (node instanceof Node.Ended ended) {
      addTask(attempts, NodeTransitions.toHistoryEntry(ended));
    }
    return new Quarantine(attempts);
  }

  /// A node that was cut off or ordered to go back does not blame the release.
  private static void addTask(SortedMap<Sha256, Integer> attempts, TaskHistoryEntry entry) {
    Sha256 release = entry.task().release();
    if (entry.phase() == NodePhase.CONFIRMED) {
      attempts.remove(release);
    } else if (entry.rollbackReason() == RollbackReason.UNHEALTHY
        || entry.rollbackReason() == RollbackReason.REFUSED) {
      attempts.merge(release, entry.task().attempt(), Math::max);
    }
  }

  public boolean isBlocked(OfferedRelease offeredRelease) {
    return attempts.getOrDefault(offeredRelease.release(), 0) >= offeredRelease.attempt();
  }

  /// The attempt in which the node rolled the release back; 0 if it did not.
  public int attemptOf(Sha256 release) {
    return attempts.getOrDefault(release, 0);
  }
}
