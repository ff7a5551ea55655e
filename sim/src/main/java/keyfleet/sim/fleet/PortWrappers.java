package keyfleet.sim.fleet;

import java.util.function.LongSupplier;
import keyfleet.store.Kv;
import keyfleet.store.Records;
import keyfleet.watchdog.JournalStore;

/// Wraps the ports that the parts of a fleet use. Tests wrap one port at a time to plant a bug, and
/// check that the swarm finds it.
public interface PortWrappers {
  PortWrappers NONE = new PortWrappers() {};

  default Kv wrapKv(PortUser user, Kv kv) {
    return kv;
  }

  default Records wrapRecords(PortUser user, Records records) {
    return records;
  }

  default LongSupplier wrapClock(PortUser user, LongSupplier clock) {
    return clock;
  }

  /// Whether the tested protocol has a write lease.
  default boolean hasWriteLease() {
    return true;
  }

  default JournalStore wrapJournal(JournalStore journal) {
    return journal;
  }
}
