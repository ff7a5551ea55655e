package keyfleet.store;

import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import keyfleet.crypto.KekVersion;

/// The versions that records may newly take, and the term of the keystore that said so.
public record Fence(Term term, SortedSet<KekVersion> writable) {
  /// When a keystore spoke: its epoch, within its incarnation.
  public record Term(long incarnation, long epoch) implements Comparable<Term> {
    @Override
    public int compareTo(Term other) {
      int byIncarnation = Long.compare(incarnation, other.incarnation);
      return byIncarnation != 0 ? byIncarnation : Long.compare(epoch, other.epoch);
    }
  }

  public Fence {
    if (writable.isEmpty()) {
      throw new IllegalArgumentException("a fence leaves at least one version writable");
    }
    writable = Collections.unmodifiableSortedSet(new TreeSet<>(writable));
  }

  public static Fence of(Term term, Set<KekVersion> writable) {
    return new Fence(term, new TreeSet<>(writable));
  }

  /// Whether `next` may stand where this fence does. Within one term a set may be replaced: a
  /// rotation opens the fence in the epoch that closed it (ADR 6).
  public boolean yieldsTo(Fence next) {
    return next.term.compareTo(term) >= 0;
  }

  /// Whether a record may change so; an insert comes from [SealedFields#NONE]. Once the fence
  /// stands, no count of a version outside it can grow, neither of the records that belong to it
  /// nor of those that carry it, nor can a field become unreadable.
  public boolean allows(SealedFields before, SealedFields after) {
    Set<KekVersion> carried = before.versions();
    boolean bringsNoOther =
        after.versions().stream().allMatch(it -> writable.contains(it) || carried.contains(it));
    boolean staysReadable = before.hasUnreadable() || !after.hasUnreadable();
    Optional<KekVersion> lowest = after.lowest();
    boolean belongsWell =
        lowest.isEmpty() || lowest.equals(before.lowest()) || writable.contains(lowest.get());
    return bringsNoOther && staysReadable && belongsWell;
  }
}
