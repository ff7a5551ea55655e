package keyfleet.watchdog;

import java.util.Optional;
import keyfleet.rollout.node.JournalEntry;

/// Durable storage for a node's state. It survives a crash and a loss of power.
public interface JournalStore {
  /// The last entry; empty only on a node that never had one. A journal that exists and cannot be
  /// read is a [LocalFailureException]: a guess could take an unconfirmed release for a confirmed
  /// one.
  Optional<JournalEntry> load();

  /// On return the entry is durable, and no earlier one can come back. If it throws, the journal
  /// contains this entry or the previous one.
  void save(JournalEntry entry);
}
