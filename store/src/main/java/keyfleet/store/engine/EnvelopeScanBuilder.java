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

/// Collects what a scan finds and what it skips.
public final class EnvelopeScanBuilder {
  /// A limit, because documents can have any number of fields, and a longer list does not help the
  /// operator.
  static final int MAX_FINDINGS = 1_000;

  private record FieldKey(String collection, String field, Encoding encoding) {}

  private static final class VersionCounts {
    private final SortedMap<KekVersion, Long> versions = new TreeMap<>();
    private long unreadable;
  }

  private final Map<FieldKey, VersionCounts> findings = new LinkedHashMap<>();
  private final SequencedSet<SkippedPart> skippedParts = new LinkedHashSet<>();

  /// `version` is null for a value that only begins like an envelope.
  public void addEnvelopes(
      String collection,
      String field,
      Encoding encoding,
      @Nullable KekVersion version,
      long count) {
    FieldKey fieldKey = new FieldKey(collection, field, encoding);
    if (findings.size() == MAX_FINDINGS && !findings.containsKey(fieldKey)) {
      skip(
          "further fields of " + collection,
          MAX_FINDINGS + " undeclared fields were already found");
      return;
    }
    VersionCounts counts = findings.computeIfAbsent(fieldKey, _ -> new VersionCounts());
    if (version == null) {
      counts.unreadable += count;
    } else {
      counts.versions.merge(version, count, Long::sum);
    }
  }

  public void skip(String what, String reason) {
    skippedParts.add(new SkippedPart(what, reason, Cause.RULE));
  }

  public void addFailure(String what, String reason) {
    skippedParts.add(new SkippedPart(what, reason, Cause.TROUBLE));
  }

  /// For a collection with more rows than the sample reads.
  public void skipRest(String collection, long rows) {
    skip(collection + ", all but " + rows + " rows", "only a sample was requested");
  }

  public EnvelopeScan build() {
    List<Finding> found = new ArrayList<>();
    findings.forEach((fieldKey, counts) ->
        found.add(
            new Finding(
                fieldKey.collection(),
                fieldKey.field(),
                fieldKey.encoding(),
                counts.versions,
                counts.unreadable)));
    return new EnvelopeScan(found, List.copyOf(skippedParts));
  }
}
