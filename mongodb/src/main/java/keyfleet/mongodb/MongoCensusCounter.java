package keyfleet.mongodb;

import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.store.Census;
import keyfleet.store.SealedFields;
import keyfleet.store.StoredRecord;

/// Counts records for a census, one at a time.
final class MongoCensusCounter {
  private final SortedMap<KekVersion, Long> belonging = new TreeMap<>();
  private final SortedMap<KekVersion, Long> carrying = new TreeMap<>();
  private long unreadable;

  void add(StoredRecord record, boolean mislabelled) {
    SealedFields fields = record.fields();
    fields.lowestVersion().ifPresent(version -> belonging.merge(version, 1L, Long::sum));
    fields.versions().forEach(version -> carrying.merge(version, 1L, Long::sum));
    unreadable += mislabelled || fields.hasUnreadable() ? 1 : 0;
  }

  Census toCensus() {
    return new Census(belonging, carrying, unreadable);
  }
}
