package keyfleet.control.rewrap;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import keyfleet.control.Failpoints;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.SafeHold;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;
import keyfleet.store.FenceResult;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.StaleTerm;
import keyfleet.store.FenceResult.Unenforced;
import keyfleet.store.Unknown;

/// All collections registered for a keyring, as one process finds them at one moment.
///
/// @param registered what it was made of
/// @param unreachable those that this process cannot open
/// @param clusters those whose objects are in the etcd of a Kubernetes cluster, where nothing is
///   moved or fenced by us
public record CollectionSet(
    List<CollectionRegistration> registered,
    List<FencedCollection> shelves,
    List<String> unreachable,
    List<String> clusters) {
  /// Why a cluster's keys are never proved to be gone.
  public static final String NO_CENSUS =
      "what its API servers have stored in etcd cannot be counted by this version of keyfleet";

  public CollectionSet {
    registered = List.copyOf(registered);
    shelves = List.copyOf(shelves);
    unreachable = List.copyOf(unreachable);
    clusters = List.copyOf(clusters);
  }

  public static CollectionSet of(
      List<CollectionRegistration> registered, CollectionOpener stores, Failpoints failpoints) {
    List<FencedCollection> shelves = new ArrayList<>();
    List<String> unreachable = new ArrayList<>();
    List<String> clusters = new ArrayList<>();
    for (CollectionRegistration one : registered) {
      if (one.isCluster()) {
        clusters.add("cluster " + one.collection());
        continue;
      }
      stores
          .open(one)
          .ifPresentOrElse(
              records -> shelves.add(new FencedCollection(one, records, failpoints)),
              () -> unreachable.add(one.engine() + " " + one.collection()));
    }
    return new CollectionSet(registered, shelves, unreachable, clusters);
  }

  /// Those of which nobody knows which keys they use: every plugin's, also of one that never said
  /// which cluster it serves.
  public List<String> uncounted(Keystore keystore) {
    boolean isUnnamed = keystore.identity().use() == Keystore.Use.KMS && clusters.isEmpty();
    return isUnnamed ? List.of("any cluster") : clusters;
  }

  /// Why nothing may be concluded about all records, if so.
  public Optional<String> gap() {
    return unreachable.isEmpty()
        ? Optional.empty()
        : Optional.of("cannot be reached: " + String.join(", ", unreachable));
  }

  /// Whether a store remembers more than the keystore says.
  public Optional<SafeHold> hold(Keystore keystore) {
    Map<String, SafeHold.FenceMark> fenceMarks = new HashMap<>();
    for (FencedCollection shelf : shelves) {
      shelf
          .fence()
          .map(Fence::term)
          .ifPresent(term ->
              fenceMarks.put(
                  shelf.title(), new SafeHold.FenceMark(term.incarnation(), term.epoch())));
    }
    return SafeHold.check(keystore, fenceMarks);
  }

  /// Tells every collection what the keystore admits. Nothing if all obey; else why not.
  public Optional<String> fence(Keystore keystore) {
    Optional<String> gap = gap();
    if (gap.isPresent()) {
      return gap;
    }
    for (FencedCollection shelf : shelves) {
      Optional<String> objection = objection(shelf.title(), shelf.raise(wanted(keystore)));
      if (objection.isPresent()) {
        return objection;
      }
    }
    return Optional.empty();
  }

  public static Fence wanted(Keystore keystore) {
    Term term = new Term(keystore.identity().incarnation(), keystore.epoch());
    return new Fence(term, keystore.writable());
  }

  private static Optional<String> objection(String title, FenceResult fenceResult) {
    return switch (fenceResult) {
      // Unfenced, a collection is still swept and counted; removal then refuses to destroy.
      case Raised(), Unenforced() -> Optional.empty();
      case StaleTerm(Fence held) ->
          Optional.of(title + " was fenced in a later term, " + held.term());
      case Unknown() -> Optional.of(title + " did not say whether its fence stands");
    };
  }
}
