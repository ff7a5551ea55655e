package keyfleet.store;

import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import keyfleet.crypto.KekVersion;

/// The versions that a record may change to, and the term of the keystore that decided it.
public record Fence(Term term, SortedSet<KekVersion> writable) {
  /// Orders the decisions of a keystore: by incarnation, then by epoch.
  public record Term(long incarnation, long epoch) implements Comparable<Term> {
    @Override
    public int compareTo(Term other) {
      int byIncarnation = Long.compare(incarnation, other.incarnation);
      return byIncarnation != 0 ? byIncarnation : Long.compare(epoch, other.epoch);
    }
  }

  public Fence {
    if (writable.isEmpty()) {
      throw new IllegalArgumentException("a fence must leave at least one version writable");
    }
    writable = Collections.unmodifiableSortedSet(new TreeSet<>(writable));
  }

  public static Fence of(Term term, Set<KekVersion> writable) {
    return new Fence(term, new TreeSet<>(writable));
  }

  /// Whether `next` may replace this fence. Within one term the writable set may be replaced: a
  /// rotation opens the fence in the same epoch in which the previous one closed it (ADR 6).
  public boolean yieldsTo(Fence next) {
    return next.term.compareTo(term) >= 0;
  }

  /// Whether a record may change in this way; an insert changes from [SealedFields#NONE]. Once the
  /// fence is raised, no count of a version outside it can grow, neither of the records that belong
  /// to the version nor of those that carry it, and no record can become unreadable.
  public boolean allows(SealedFields before, SealedFields after) {
    Set<KekVersion> carried = before.versions();
    boolean addsNoOtherVersion =
        after.versions().stream().allMatch(it -> writable.contains(it) || carried.contains(it));
    boolean staysReadable = before.hasUnreadable() || !after.hasUnreadable();
    Optional<KekVersion> lowest = after.lowest();
    boolean lowestIsAllowed =
        lowest.isEmpty() || lowest.equals(before.lowest()) || writable.contains(lowest.get());
    return addsNoOtherVersion && staysReadable && lowestIsAllowed;
  }
}
