package keyfleet.store;

import java.util.NavigableSet;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;

/// Adds up records for a [Census], one at a time or in groups of equal ones.
public final class CensusCounter {
  private final SortedMap<KekVersion, Long> belonging = new TreeMap<>();
  private final SortedMap<KekVersion, Long> carrying = new TreeMap<>();
  private long unreadable;
  private long mismatched;

  /// Adds `count` records whose fields need these versions.
  public void add(NavigableSet<KekVersion> versions, long count) {
    if (!versions.isEmpty()) {
      belonging.merge(versions.first(), count, Long::sum);
    }
    versions.forEach(it -> carrying.merge(it, count, Long::sum));
  }

  /// Says of `count` added records that a field of theirs is not an envelope.
  public void addUnreadable(long count) {
    unreadable += count;
  }

  /// Says of `count` added records that their version field is not their lowest version.
  public void addMismatched(long count) {
    mismatched += count;
  }

  public Census toCensus() {
    return new Census(belonging, carrying, unreadable, mismatched);
  }
}
