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

  /// Adds `count` records whose fields need these versions. A record with a field that is not an
  /// envelope is unreadable.
  public void add(NavigableSet<KekVersion> versions, boolean isUnreadable, long count) {
    if (!versions.isEmpty()) {
      belonging.merge(versions.first(), count, Long::sum);
    }
    versions.forEach(it -> carrying.merge(it, count, Long::sum));
    unreadable += isUnreadable ? count : 0;
  }

  public Census toCensus() {
    return new Census(belonging, carrying, unreadable);
  }
}
