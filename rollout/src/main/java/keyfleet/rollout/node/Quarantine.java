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
    node.ground().past().forEach(chapter -> note(attempts, chapter));
    if (node instanceof Node.Ended ended) {
      note(attempts, NodeTransitions.closed(ended));
    }
    return new Quarantine(attempts);
  }

  /// A node that was cut off or ordered to go back does not blame the release.
  private static void note(SortedMap<Sha256, Integer> attempts, TaskHistoryEntry chapter) {
    Sha256 release = chapter.task().release();
    if (chapter.phase() == NodePhase.CONFIRMED) {
      attempts.remove(release);
    } else if (chapter.setback() == RollbackReason.UNHEALTHY
        || chapter.setback() == RollbackReason.REFUSED) {
      attempts.merge(release, chapter.task().attempt(), Math::max);
    }
  }

  public boolean bars(OfferedRelease offer) {
    return attempts.getOrDefault(offer.release(), 0) >= offer.attempt();
  }

  /// The attempt in which the node rolled the release back; 0 if it did not.
  public int attemptOf(Sha256 release) {
    return attempts.getOrDefault(release, 0);
  }
}
