package keyfleet.control.rewrap;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import keyfleet.control.Failpoints;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.SafeHold;
import keyfleet.member.document.FenceMarks;
import keyfleet.store.Fence;
import keyfleet.store.Fence.Term;
import keyfleet.store.FenceResult;
import keyfleet.store.FenceResult.Raised;
import keyfleet.store.FenceResult.Refused;
import keyfleet.store.FenceResult.Unenforced;
import keyfleet.store.StoreRefusedException;
import keyfleet.store.Unknown;

/// The registered collections of a keyring, as this process can open them now.
///
/// @param registrations all registered collections
/// @param unreachable the names of collections that this process cannot open
/// @param missing the names of collections whose store answers that they do not exist
/// @param clusters the names of Kubernetes clusters, whose objects are in etcd; Keyfleet does not
///   rewrap, fence or count these
public record CollectionSet(
    List<CollectionRegistration> registrations,
    List<FencedCollection> reachable,
    List<String> unreachable,
    List<String> missing,
    List<String> clusters) {
  /// Why the keys of a cluster cannot be proved unused.
  public static final String NO_CENSUS =
      "rewrite its objects in etcd through the API servers, then attest that none needs the version";

  /// Stands for the clusters of plugins that never named one.
  private static final String ANY_CLUSTER = "any";

  public CollectionSet {
    registrations = List.copyOf(registrations);
    reachable = List.copyOf(reachable);
    unreachable = List.copyOf(unreachable);
    missing = List.copyOf(missing);
    clusters = List.copyOf(clusters);
  }

  public static CollectionSet of(
      List<CollectionRegistration> registrations, CollectionOpener opener, Failpoints failpoints) {
    List<FencedCollection> reachable = new ArrayList<>();
    List<String> unreachable = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    List<String> clusters = new ArrayList<>();
    for (CollectionRegistration registration : registrations) {
      if (registration.isCluster()) {
        clusters.add(registration.collection());
        continue;
      }
      try {
        opener
            .open(registration)
            .ifPresentOrElse(
                records -> reachable.add(new FencedCollection(registration, records, failpoints)),
                () -> unreachable.add(registration.engine() + " " + registration.collection()));
      } catch (StoreRefusedException e) {
        if (e.reason() != StoreRefusedException.Reason.NO_COLLECTION) {
          throw e;
        }
        missing.add(registration.engine() + " " + registration.collection());
      }
    }
    return new CollectionSet(registrations, reachable, unreachable, missing, clusters);
  }

  private static String describeMissing(String name) {
    String kind = name.startsWith("mongodb ") ? "collection" : "table";
    return "collection %s is registered but the %s does not exist".formatted(name, kind);
  }

  /// The clusters whose use of a version only an operator can tell. A plugin that never named its
  /// cluster counts as one.
  public List<String> clustersToAttest(Keystore keystore) {
    boolean hasNoCluster = keystore.identity().use() == Keystore.Use.KMS && clusters.isEmpty();
    return hasNoCluster ? List.of(ANY_CLUSTER) : clusters;
  }

  /// Those of them for which no operator has attested yet that no object needs `version`.
  public List<String> unattestedClusters(Keystore keystore, KekVersion version) {
    return clustersToAttest(keystore).stream()
        .filter(it -> !keystore.isAttested(version, it))
        .toList();
  }

  /// The collections that prevent a conclusion about all records, if there are any.
  public Optional<String> describeUnreachable() {
    List<String> sentences =
        new ArrayList<>(missing.stream().map(CollectionSet::describeMissing).toList());
    if (!unreachable.isEmpty()) {
      sentences.add("this process cannot reach " + String.join(", ", unreachable));
    }
    return sentences.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", sentences));
  }

  /// Why the fleet must not seal or change the keystore: a fence is ahead of it. Empty if none is.
  public Optional<SafeHold> findSafeHold(Keystore keystore) {
    return SafeHold.check(keystore, readFenceMarks());
  }

  /// Why no keystore may be created: a collection has the fence of a keystore that was lost. Empty
  /// if none has.
  public Optional<String> describeForeignFence() {
    return readFenceMarks().keySet().stream()
        .sorted()
        .findFirst()
        .map(it ->
            it
                + " was fenced by another keystore, which was lost; restore it from a backup,"
                + " or announce into an empty store");
  }

  /// What the fence of each collection remembers, by the collection's name for people.
  public Map<String, SafeHold.FenceMark> readFenceMarks() {
    Map<String, SafeHold.FenceMark> fenceMarks = new HashMap<>();
    for (FencedCollection collection : reachable) {
      collection
          .readFence()
          .ifPresent(it -> fenceMarks.put(collection.displayName(), FenceMarks.of(it)));
    }
    return fenceMarks;
  }

  /// Fences all collections to the writable versions of the keystore. Returns the reason if one
  /// cannot be fenced.
  public Optional<String> raiseFences(Keystore keystore) {
    return fenceAll(collection -> collection.raiseFence(fenceOf(keystore)));
  }

  /// As [#raiseFences], also over fences of another keystore: an operator has decided.
  public Optional<String> overrideFences(Keystore keystore) {
    Fence next = fenceOf(keystore);
    return fenceAll(collection ->
        collection
            .readFence()
            .filter(held -> !held.canYieldTo(next))
            .map(held -> collection.replaceFence(held, next))
            .orElseGet(() -> collection.raiseFence(next)));
  }

  private Optional<String> fenceAll(Function<FencedCollection, FenceResult> raise) {
    Optional<String> unreachableText = describeUnreachable();
    if (unreachableText.isPresent()) {
      return unreachableText;
    }
    for (FencedCollection collection : reachable) {
      Optional<String> objection = objection(collection.displayName(), raise.apply(collection));
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
      // A collection without a fence is still swept and counted; removal then refuses to destroy.
      case Raised(), Unenforced() -> Optional.empty();
      case Refused(Fence held) ->
          Optional.of(displayName + " has another fence, of " + held.term());
      case Unknown() -> Optional.of(displayName + " did not confirm its fence");
    };
  }
}
