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

  /// Whether `next` may replace this fence: it must not have a lower term. A fence of the same term
  /// may replace it, because a rotation opens the fence in the epoch in which the previous rotation
  /// closed it (ADR 6).
  public boolean canYieldTo(Fence next) {
    return next.term.compareTo(term) >= 0;
  }

  /// Whether a record may change from `before` to `after`; an insert changes from
  /// [SealedFields#NONE]. While the fence is raised, neither count of a version outside it can grow
  /// (the records that belong to it, the records that carry it), and no record can become
  /// unreadable.
  public boolean isChangeAllowed(SealedFields before, SealedFields after) {
    Set<KekVersion> carried = before.versions();
    boolean addsNoOtherVersion =
        after.versions().stream().allMatch(it -> writable.contains(it) || carried.contains(it));
    boolean staysReadable = before.hasUnreadable() || !after.hasUnreadable();
    Optional<KekVersion> lowest = after.lowestVersion();
    boolean lowestIsAllowed =
        lowest.isEmpty()
            || lowest.equals(before.lowestVersion())
            || writable.contains(lowest.get());
    return addsNoOtherVersion && staysReadable && lowestIsAllowed;
  }
}
