package keyfleet.rollout.node;

import java.time.Duration;
import java.util.Optional;
import keyfleet.rollout.node.Node.Applying;
import keyfleet.rollout.node.Node.Check;
import keyfleet.rollout.node.Node.Ended;
import keyfleet.rollout.node.Node.Idle;
import keyfleet.rollout.node.Node.Preparing;
import keyfleet.rollout.node.Node.RollingBack;
import keyfleet.rollout.node.Node.Soaked;
import keyfleet.rollout.node.Node.Soaking;
import keyfleet.rollout.node.Node.Staged;
import keyfleet.rollout.node.Node.Unconfirmed;

/// What a watchdog's journal stores: the node, and when the entry was written. It does not store an
/// unfinished soak, because the soak starts again after a crash (R5).
public record JournalEntry(Node node, ClockReading writtenAt) {
  public JournalEntry {
    node = resume(node, writtenAt.elapsed(), 0);
  }

  /// How much of the confirm deadline was left. The journal stores this and not a reading of the
  /// elapsed clock, which means nothing after a reboot.
  public Optional<Duration> remainingDeadline() {
    return node instanceof Unconfirmed unconfirmed
        ? Optional.of(Duration.ofNanos(unconfirmed.confirmBy() - writtenAt.elapsed()))
        : Optional.empty();
  }

  /// The node after a restart. Its deadline continues as if nothing had happened (I4): within a
  /// boot by the elapsed clock; across a reboot, the smaller of the stored remainder and what the
  /// wall clock leaves.
  public Node restore(ClockReading now) {
    return resume(
        node, now.elapsed(), now.elapsed() - writtenAt.elapsed() - now.elapsedSince(writtenAt));
  }

  /// Whether a journal with this entry need not be written for `current`.
  public boolean isUpToDate(Node current) {
    return node.equals(resume(current, writtenAt.elapsed(), 0));
  }

  private static Node resume(Node node, long now, long offset) {
    return switch (node) {
      case Applying a -> new Applying(a.nodeTask(), Check.OPEN, a.confirmBy() + offset);
      case Soaking s ->
          new Soaking(s.nodeTask(), s.soakHealth().afterRestart(now), s.confirmBy() + offset);
      case Soaked s ->
          new Soaked(s.nodeTask(), s.soakHealth().afterRestart(now), s.confirmBy() + offset);
      case Idle _, Preparing _, Staged _, RollingBack _, Ended _ -> node;
    };
  }
}
