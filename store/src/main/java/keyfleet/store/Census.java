package keyfleet.store;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;

/// How many records have which version; a version that is missing here has none.
///
/// `belonging` counts each record once, by its lowest version: a scan of that version finds these
/// records. `carrying` counts a record under every version that any of its fields needs: only a
/// version that no record carries may be destroyed. `unreadable` counts records with a field that
/// is not an envelope, whatever their other fields are. `mismatched` counts records whose version
/// field is not their lowest version; it is zero for a collection without a version field.
public record Census(
    SortedMap<KekVersion, Long> belonging,
    SortedMap<KekVersion, Long> carrying,
    long unreadable,
    long mismatched) {
  public Census {
    belonging = Collections.unmodifiableSortedMap(new TreeMap<>(belonging));
    carrying = Collections.unmodifiableSortedMap(new TreeMap<>(carrying));
  }

  /// Of a collection in which no version field is wrong.
  public Census(
      SortedMap<KekVersion, Long> belonging,
      SortedMap<KekVersion, Long> carrying,
      long unreadable) {
    this(belonging, carrying, unreadable, 0);
  }

  public static Census of(Iterable<StoredRecord> records) {
    CensusCounter counter = new CensusCounter();
    for (StoredRecord record : records) {
      counter.add(record.fields().versions(), 1);
      counter.addUnreadable(record.fields().hasUnreadable() ? 1 : 0);
    }
    return counter.toCensus();
  }
}
