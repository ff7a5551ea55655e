package keyfleet.store.engine;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.store.CollectionShape;

/// The result of scanning a whole database for envelopes in fields that no registration declares,
/// and what the scan skipped.
///
/// The scan finds a value that begins with the magic bytes of an envelope, or text that begins with
/// them in base64. It does not find an envelope further inside a value, or one encoded in any other
/// way.
public record EnvelopeScan(List<Finding> undeclared, List<SkippedPart> notScanned) {
  public EnvelopeScan {
    undeclared = List.copyOf(undeclared);
    notScanned = List.copyOf(notScanned);
  }

  /// The declared collections to skip, because their census counts them, and how many rows of each
  /// collection to read.
  public record Scope(Set<CollectionShape> declared, long maxRows) {
    public static final long ALL = Long.MAX_VALUE;

    public Scope {
      declared = Set.copyOf(declared);
      if (maxRows < 1) {
        throw new IllegalArgumentException("a sample has at least one row, not " + maxRows);
      }
    }

    public static Scope whole(Set<CollectionShape> declared) {
      return new Scope(declared, ALL);
    }

    public boolean isSample() {
      return maxRows < ALL;
    }
  }

  /// How an envelope is encoded.
  public enum Encoding {
    BYTES,
    /// A store can neither count nor fence such a field.
    BASE64
  }

  /// Envelopes in one field, counted by the version that each needs. `unreadable` counts values
  /// that begin like an envelope but are not one.
  public record Finding(
      String collection,
      String field,
      Encoding encoding,
      SortedMap<KekVersion, Long> versions,
      long unreadable) {
    public Finding {
      versions = Collections.unmodifiableSortedMap(new TreeMap<>(versions));
    }
  }

  /// Why a part was not scanned.
  public enum Cause {
    /// Never scanned, or not requested.
    RULE,
    /// It should have been scanned, but could not be read.
    TROUBLE
  }

  public record SkippedPart(String what, String reason, Cause cause) {}

  /// For an engine that has nothing to scan.
  public static EnvelopeScan skipped(String what, String reason) {
    return new EnvelopeScan(List.of(), List.of(new SkippedPart(what, reason, Cause.RULE)));
  }
}
