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

/// The node's state, saved in the journal before anything acts on it. There is one exception: if
/// the disk accepts no entry, an unconfirmed release is still rolled back (I4).
final class NodeJournal {
  /// How often the remaining time of a running deadline is saved. It bounds how much time a reboot
  /// with a wrong wall clock can add.
  static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(30);

  private final JournalStore store;
  private final NodeClock clock;
  private @Nullable JournalEntry lastEntry;
  private @Nullable Node node;

  NodeJournal(JournalStore store, NodeClock clock) {
    this.store = store;
    this.clock = clock;
  }

  /// The node from the journal, or the supplied one on a node without a journal. It reads only on
  /// the first call, and on the first call after a save that may have failed.
  Node open(Supplier<Node> initial) {
    if (node != null) {
      return node;
    }
    ClockReading now = clock.now();
    JournalEntry found = store.load().orElse(null);
    if (found == null) {
      return save(initial.get(), now);
    }
    lastEntry = found;
    Node restored = found.restore(now);
    node = restored;
    return restored;
  }

  /// Applies the event and saves the result before it returns.
  Node apply(Node before, NodeEvent event) {
    ClockReading now = clock.now();
    Node after = Node.next(before, event, now.elapsed());
    if (lastEntry == null || !lastEntry.isUpToDate(after) || isCheckpointDue(lastEntry, now)) {
      return save(after, now);
    }
    node = after;
    return after;
  }

  private Node save(Node after, ClockReading now) {
    JournalEntry next = new JournalEntry(after, now);
    node = null; // if the save fails, only the journal knows the state
    lastEntry = null;
    try {
      store.save(next);
      lastEntry = next;
    } catch (LocalFailureException e) {
      if (!isSafeWithoutSave(after)) {
        throw e;
      }
    }
    node = after;
    return after;
  }

  /// A watchdog that swaps back without saving and then crashes finds the same reasons to swap
  /// back, and may repeat it.
  private static boolean isSafeWithoutSave(Node after) {
    return after instanceof RollingBack back && back.undo() == Undo.SWAP_BACK;
  }

  private static boolean isCheckpointDue(JournalEntry entry, ClockReading now) {
    return entry.remainingDeadline().isPresent()
        && (!entry.writtenAt().boot().equals(now.boot())
            || now.elapsed() - entry.writtenAt().elapsed() >= CHECKPOINT_INTERVAL.toNanos());
  }
}
