package keyfleet.store.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.store.engine.EnvelopeScan.Cause;
import keyfleet.store.engine.EnvelopeScan.Encoding;
import keyfleet.store.engine.EnvelopeScan.Finding;
import keyfleet.store.engine.EnvelopeScan.SkippedPart;
import org.jspecify.annotations.Nullable;

/// Collects the findings of a scan.
public final class EnvelopeScanBuilder {
  /// A limit, because documents can have any number of fields and a longer list is not read by
  /// people.
  static final int MAX_FINDS = 1_000;

  private record FieldKey(String collection, String field, Encoding form) {}

  private static final class VersionCounts {
    private final SortedMap<KekVersion, Long> versions = new TreeMap<>();
    private long unreadable;
  }

  private final Map<FieldKey, VersionCounts> finds = new LinkedHashMap<>();
  private final SequencedSet<SkippedPart> gaps = new LinkedHashSet<>();

  /// `version` is null for a value that only begins like an envelope.
  public void found(
      String collection, String field, Encoding form, @Nullable KekVersion version, long count) {
    FieldKey spot = new FieldKey(collection, field, form);
    if (finds.size() == MAX_FINDS && !finds.containsKey(spot)) {
      leave("further fields of " + collection, MAX_FINDS + " undeclared fields were already found");
      return;
    }
    VersionCounts tally = finds.computeIfAbsent(spot, _ -> new VersionCounts());
    if (version == null) {
      tally.unreadable += count;
    } else {
      tally.versions.merge(version, count, Long::sum);
    }
  }

  public void leave(String what, String reason) {
    gaps.add(new SkippedPart(what, reason, Cause.RULE));
  }

  public void fail(String what, String reason) {
    gaps.add(new SkippedPart(what, reason, Cause.TROUBLE));
  }

  /// For a collection with more rows than the sample reads.
  public void leaveRest(String collection, long rows) {
    leave(collection + ", all but " + rows + " rows", "only a sample was requested");
  }

  public EnvelopeScan survey() {
    List<Finding> found = new ArrayList<>();
    finds.forEach((spot, tally) ->
        found.add(
            new Finding(
                spot.collection(), spot.field(), spot.form(), tally.versions, tally.unreadable)));
    return new EnvelopeScan(found, List.copyOf(gaps));
  }
}
