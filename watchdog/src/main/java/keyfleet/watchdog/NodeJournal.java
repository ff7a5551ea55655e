package keyfleet.watchdog;

import java.time.Duration;
import java.util.function.Supplier;
import keyfleet.rollout.node.ClockReading;
import keyfleet.rollout.node.JournalEntry;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.Node.RollingBack;
import keyfleet.rollout.node.Node.Undo;
import keyfleet.rollout.node.NodeEvent;
import org.jspecify.annotations.Nullable;

/// The node's state, never ahead of its journal. There is one exception: a disk that accepts no
/// entry does not keep an unconfirmed release running (I4).
final class NodeJournal {
  /// While a deadline runs, the remaining time is saved this often. It bounds how much a reboot
  /// with a wrong wall clock can add.
  static final Duration CHECKPOINT_EVERY = Duration.ofSeconds(30);

  private final JournalStore journal;
  private final NodeClock host;
  private @Nullable JournalEntry page;
  private @Nullable Node node;

  NodeJournal(JournalStore journal, NodeClock host) {
    this.journal = journal;
    this.host = host;
  }

  /// The node from the journal, or the supplied one on a node without a journal. It reads only on
  /// the first call, and on the first call after a save that may have failed.
  Node open(Supplier<Node> unheardOf) {
    if (node != null) {
      return node;
    }
    ClockReading now = host.clockReading();
    JournalEntry found = journal.load().orElse(null);
    if (found == null) {
      return saved(unheardOf.get(), now);
    }
    page = found;
    Node restored = found.restore(now);
    node = restored;
    return restored;
  }

  /// Applies the event and saves the result: on return the journal has it.
  Node take(Node before, NodeEvent event) {
    ClockReading now = host.clockReading();
    Node after = Node.next(before, event, now.elapsed());
    if (page == null || !page.isUpToDate(after) || isOld(page, now)) {
      return saved(after, now);
    }
    node = after;
    return after;
  }

  private Node saved(Node after, ClockReading now) {
    JournalEntry next = new JournalEntry(after, now);
    node = null; // if the save fails, only the journal knows the state
    page = null;
    try {
      journal.save(next);
      page = next;
    } catch (LocalFailureException e) {
      if (!isSafeUnsaved(after)) {
        throw e;
      }
    }
    node = after;
    return after;
  }

  /// A watchdog that swaps back without saving and then crashes finds the same reasons to swap
  /// back, and may repeat it.
  private static boolean isSafeUnsaved(Node after) {
    return after instanceof RollingBack back && back.undo() == Undo.SWAP_BACK;
  }

  private static boolean isOld(JournalEntry page, ClockReading now) {
    return page.remainingDeadline().isPresent()
        && (!page.writtenAt().boot().equals(now.boot())
            || now.elapsed() - page.writtenAt().elapsed() >= CHECKPOINT_EVERY.toNanos());
  }
}
