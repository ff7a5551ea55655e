package keyfleet.store;

import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;

/// Where a look through a whole database found envelopes in fields that nobody declared, and what
/// it did not look at.
///
/// A value is found if it begins with the magic of an envelope, or is text that begins with the
/// magic in base64. What lies further inside a value, or was changed in any other way, is not.
public record Survey(List<Find> undeclared, List<Gap> notScanned) {
  public Survey {
    undeclared = List.copyOf(undeclared);
    notScanned = List.copyOf(notScanned);
  }

  /// What to leave aside, as its census counts it, and how many rows of each collection to read.
  public record Scope(Set<CollectionShape> declared, long rows) {
    public static final long ALL = Long.MAX_VALUE;

    public Scope {
      declared = Set.copyOf(declared);
      if (rows < 1) {
        throw new IllegalArgumentException("a sample has at least one row, not " + rows);
      }
    }

    public static Scope whole(Set<CollectionShape> declared) {
      return new Scope(declared, ALL);
    }

    public boolean isSample() {
      return rows < ALL;
    }
  }

  /// How an envelope is kept.
  public enum Form {
    BYTES,
    /// A store can neither count nor fence it there.
    BASE64
  }

  /// Envelopes in one field, by the version that each needs. `unreadable` begin as envelopes do,
  /// and are none.
  public record Find(
      String collection,
      String field,
      Form form,
      SortedMap<KekVersion, Long> versions,
      long unreadable) {
    public Find {
      versions = Collections.unmodifiableSortedMap(new TreeMap<>(versions));
    }
  }

  /// Why something was not looked at.
  public enum Cause {
    /// It never is, or was not asked for.
    RULE,
    /// It should have been, and could not be read.
    TROUBLE
  }

  public record Gap(String what, String reason, Cause cause) {}

  /// For an engine that has nothing to look through.
  public static Survey nothing(String what, String reason) {
    return new Survey(List.of(), List.of(new Gap(what, reason, Cause.RULE)));
  }
}
