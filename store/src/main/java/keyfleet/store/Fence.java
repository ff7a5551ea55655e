package keyfleet.store;

import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import keyfleet.crypto.KekVersion;

/// The versions that a record may change to, and the term of the keystore that decided it.
public record Fence(Term term, SortedSet<KekVersion> writable) {
  /// The epoch in which a keystore decided. An incarnation is a random number: the epochs of one
  /// incarnation have an order, two incarnations have none.
  public record Term(long incarnation, long epoch) {}

  public Fence {
    if (writable.isEmpty()) {
      throw new IllegalArgumentException("a fence must leave at least one version writable");
    }
    writable = Collections.unmodifiableSortedSet(new TreeSet<>(writable));
  }

  public static Fence of(Term term, Set<KekVersion> writable) {
    return new Fence(term, new TreeSet<>(writable));
  }

  /// Whether `next` may replace this fence: it must be of the same incarnation, and of an epoch
  /// that is not lower. A fence of the same term may replace it, because a rotation opens the fence
  /// in the epoch in which the previous rotation closed it (ADR 6). A fence of another incarnation
  /// is of another keystore: only an operator can decide between them, by [Records#replaceFence].
  public boolean canYieldTo(Fence next) {
    return next.term.incarnation == term.incarnation && next.term.epoch >= term.epoch;
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
