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
    List<CollectionRegistration> registrations,
    List<FencedCollection> reachable,
    List<String> unreachable,
    List<String> clusters) {
  /// Why a cluster's keys are never proved to be gone.
  public static final String NO_CENSUS =
      "what its API servers have stored in etcd cannot be counted by this version of keyfleet";

  public CollectionSet {
    registrations = List.copyOf(registrations);
    reachable = List.copyOf(reachable);
    unreachable = List.copyOf(unreachable);
    clusters = List.copyOf(clusters);
  }

  public static CollectionSet of(
      List<CollectionRegistration> registrations, CollectionOpener opener, Failpoints failpoints) {
    List<FencedCollection> reachable = new ArrayList<>();
    List<String> unreachable = new ArrayList<>();
    List<String> clusters = new ArrayList<>();
    for (CollectionRegistration registration : registrations) {
      if (registration.isCluster()) {
        clusters.add("cluster " + registration.collection());
        continue;
      }
      opener
          .open(registration)
          .ifPresentOrElse(
              records -> reachable.add(new FencedCollection(registration, records, failpoints)),
              () -> unreachable.add(registration.engine() + " " + registration.collection()));
    }
    return new CollectionSet(registrations, reachable, unreachable, clusters);
  }

  /// Those of which nobody knows which keys they use: every plugin's, also of one that never said
  /// which cluster it serves.
  public List<String> clustersWithoutCensus(Keystore keystore) {
    boolean hasNoCluster = keystore.identity().use() == Keystore.Use.KMS && clusters.isEmpty();
    return hasNoCluster ? List.of("any cluster") : clusters;
  }

  /// Why nothing may be concluded about all records, if so.
  public Optional<String> findUnreachable() {
    return unreachable.isEmpty()
        ? Optional.empty()
        : Optional.of("cannot be reached: " + String.join(", ", unreachable));
  }

  /// Whether a store remembers more than the keystore says.
  public Optional<SafeHold> findSafeHold(Keystore keystore) {
    Map<String, SafeHold.FenceMark> fenceMarks = new HashMap<>();
    for (FencedCollection collection : reachable) {
      collection
          .readFence()
          .map(Fence::term)
          .ifPresent(term ->
              fenceMarks.put(
                  collection.displayName(),
                  new SafeHold.FenceMark(term.incarnation(), term.epoch())));
    }
    return SafeHold.check(keystore, fenceMarks);
  }

  /// Tells every collection what the keystore admits. Nothing if all obey; else why not.
  public Optional<String> raiseFences(Keystore keystore) {
    Optional<String> unreachableText = findUnreachable();
    if (unreachableText.isPresent()) {
      return unreachableText;
    }
    for (FencedCollection collection : reachable) {
      Optional<String> objection =
          objection(collection.displayName(), collection.raiseFence(fenceOf(keystore)));
      if (objection.isPresent()) {
        return objection;
      }
    }
    return Optional.empty();
  }

  public static Fence fenceOf(Keystore keystore) {
    Term term = new Term(keystore.identity().incarnation(), keystore.epoch());
    return new Fence(term, keystore.writable());
  }

  private static Optional<String> objection(String displayName, FenceResult fenceResult) {
    return switch (fenceResult) {
      // Unfenced, a collection is still swept and counted; removal then refuses to destroy.
      case Raised(), Unenforced() -> Optional.empty();
      case StaleTerm(Fence held) ->
          Optional.of(displayName + " was fenced in a later term, " + held.term());
      case Unknown() -> Optional.of(displayName + " did not say whether its fence stands");
    };
  }
}
