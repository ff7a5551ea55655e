package keyfleet.watchdog;

import java.util.Optional;
import keyfleet.rollout.NodePage;

/// A node's own memory, which survives a crash and a loss of power.
public interface Journal {
  /// The last page; empty only on a node that never had one. A journal that is there and cannot be
  /// read is a [MachineException]: guessing would take an unconfirmed release for a confirmed one.
  Optional<NodePage> load();

  /// On return the page is durable, and no earlier one can come back. If it throws, the journal
  /// holds this page or the one before.
  void save(NodePage page);
}
