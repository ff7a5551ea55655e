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
public record JournalEntry(Node node, ClockReading written) {
  public JournalEntry {
    node = resumed(node, written.elapsed(), 0);
  }

  /// How much of the confirm deadline was left. The journal stores this and not a reading of the
  /// elapsed clock, which means nothing after a reboot.
  public Optional<Duration> remaining() {
    return node instanceof Unconfirmed risky
        ? Optional.of(Duration.ofNanos(risky.confirmBy() - written.elapsed()))
        : Optional.empty();
  }

  /// The node after a restart. Its deadline continues as if nothing had happened (I4): within a
  /// boot by the elapsed clock; across a reboot, the smaller of the stored remainder and what the
  /// wall clock leaves.
  public Node restored(ClockReading now) {
    return resumed(node, now.elapsed(), now.elapsed() - written.elapsed() - now.since(written));
  }

  /// Whether a journal with this entry need not be written for `current`.
  public boolean tells(Node current) {
    return node.equals(resumed(current, written.elapsed(), 0));
  }

  private static Node resumed(Node node, long now, long shift) {
    return switch (node) {
      case Applying a -> new Applying(a.duty(), Check.OPEN, a.confirmBy() + shift);
      case Soaking s -> new Soaking(s.duty(), s.vitals().resumed(now), s.confirmBy() + shift);
      case Soaked s -> new Soaked(s.duty(), s.vitals().resumed(now), s.confirmBy() + shift);
      case Idle _, Preparing _, Staged _, RollingBack _, Ended _ -> node;
    };
  }
}
