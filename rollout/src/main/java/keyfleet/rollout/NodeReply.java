package keyfleet.rollout;

import java.time.Duration;
import java.util.List;

/// What a node says to an order (R6). None of these is a failure of the node: a driver may send
/// anything again.
public sealed interface NodeReply {
  /// As far as asked, or further.
  record Ok(Phase phase) implements NodeReply {}

  /// On the way.
  record InProgress(Phase phase) implements NodeReply {}

  /// The step before must end first; `remaining` is how much of the soak is left.
  record NotYet(Duration remaining) implements NodeReply {}

  record StaleEpoch(Lead highest) implements NodeReply {}

  record StaleAttempt(int current) implements NodeReply {}

  record Busy(RolloutId rollout) implements NodeReply {}

  record Refused(List<String> reasons) implements NodeReply {
    public Refused {
      reasons = List.copyOf(reasons);
    }
  }

  /// This attempt has ended, and how.
  record Terminal(Phase phase, Setback setback) implements NodeReply {}
}
