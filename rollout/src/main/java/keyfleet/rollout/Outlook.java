package keyfleet.rollout;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

/// What one driver sees and remembers: who beats, what nodes said, since when it waits for what. It
/// is never stored. A new driver begins without it, so that its waits run in full on its own clock.
///
/// @param looked whether it has seen the fleet at all; before that nobody is present or absent
/// @param lookedAt when that was last
/// @param candidates what those say of themselves who beat and may begin
/// @param since when a node got its step, or came or went, whichever was last
/// @param batchSince when the batch before passed
public record Outlook(
    boolean looked,
    Duration lookedAt,
    Set<NodeId> present,
    Map<NodeId, NodeReport> reports,
    Map<NodeId, NodeStatus> candidates,
    Map<NodeId, Duration> since,
    Duration batchSince) {
  public Outlook {
    present = Set.copyOf(present);
    reports = Map.copyOf(reports);
    candidates = Map.copyOf(candidates);
    since = Map.copyOf(since);
  }

  public static Outlook blank(Duration now) {
    return new Outlook(false, now, Set.of(), Map.of(), Map.of(), Map.of(), now);
  }

  /// Whether it may be judged by. A driver that has been blind, as its machine slept or the store
  /// was gone, knows of nobody whether it was reachable: it looks first, and waits in full again.
  boolean isFresh(Duration now, Duration stale) {
    return looked && now.minus(lookedAt).compareTo(stale) <= 0;
  }
}
