package keyfleet.sim.fleet;

import java.util.function.LongSupplier;
import keyfleet.store.Kv;
import keyfleet.store.Records;
import keyfleet.watchdog.JournalStore;

/// What the parts of a fleet get in place of a port. Tests bend them, one at a time, to see that
/// the swarm notices.
public interface PortWrappers {
  PortWrappers NONE = new PortWrappers() {};

  default Kv wrapKv(PortUser part, Kv kv) {
    return kv;
  }

  default Records wrapRecords(PortUser part, Records records) {
    return records;
  }

  default LongSupplier wrapClock(PortUser part, LongSupplier clock) {
    return clock;
  }

  /// Whether the protocol under test has a write lease at all.
  default boolean hasWriteLease() {
    return true;
  }

  default JournalStore wrapJournal(JournalStore journalStore) {
    return journalStore;
  }
}
