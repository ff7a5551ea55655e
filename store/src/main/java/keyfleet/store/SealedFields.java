package keyfleet.store;

import java.util.Collections;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import keyfleet.crypto.Envelope;
import keyfleet.crypto.KekVersion;

/// All sealed fields of one record, by name. A field that is null in the database is left out.
public record SealedFields(SortedMap<String, Bytes> byName) {
  public static final SealedFields NONE = new SealedFields(new TreeMap<>());

  public SealedFields {
    byName = Collections.unmodifiableSortedMap(new TreeMap<>(byName));
  }

  public static SealedFields of(Map<String, Bytes> byName) {
    return new SealedFields(new TreeMap<>(byName));
  }

  /// The total size of all fields, in bytes.
  public long totalLength() {
    return byName.values().stream().mapToLong(Bytes::length).sum();
  }

  /// The versions of all fields that can be read as envelopes.
  public NavigableSet<KekVersion> versions() {
    NavigableSet<KekVersion> versions = new TreeSet<>();
    for (Bytes field : byName.values()) {
      Envelope.parseVersion(field.sharedArray()).ifPresent(versions::add);
    }
    return versions;
  }

  /// The version that the record belongs to; empty if no field has a version.
  public Optional<KekVersion> lowestVersion() {
    NavigableSet<KekVersion> versions = versions();
    return versions.isEmpty() ? Optional.empty() : Optional.of(versions.first());
  }

  /// Whether some field is not an envelope, so that the version it needs is unknown.
  public boolean hasUnreadable() {
    return byName.values().stream()
        .anyMatch(it -> Envelope.parseVersion(it.sharedArray()).isEmpty());
  }
}
