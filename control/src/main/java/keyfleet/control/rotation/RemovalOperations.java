package keyfleet.control.rotation;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import keyfleet.control.audit.AuditChange;
import keyfleet.control.rewrap.CollectionSet;
import keyfleet.control.rewrap.FencedCollection;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.KeyringOperations.Result;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.Rotation;
import keyfleet.keyring.VersionRemoval;
import keyfleet.keyring.VersionRemoval.CountResult;
import keyfleet.keyring.VersionRemoval.Counted;
import keyfleet.keyring.VersionRemoval.Evidence;
import keyfleet.keyring.VersionRemoval.FenceWaiver;
import keyfleet.keyring.VersionRemoval.NotCounted;
import keyfleet.store.Census;
import keyfleet.store.FenceResult;
import keyfleet.store.StoreException;

/// The operations that remove versions, from any process. Each try gathers its evidence again.
public final class RemovalOperations {
  private final KeyringStore keyringStore;
  private final CollectionCatalog collectionCatalog;
  private final KeyringOperations operations;

  public RemovalOperations(
      KeyringStore keyringStore,
      CollectionCatalog collectionCatalog,
      KeyringOperations operations) {
    this.keyringStore = keyringStore;
    this.collectionCatalog = collectionCatalog;
    this.operations = operations;
  }

  /// After this no process needs the bytes of the version. [#undo] reverses it.
  public Result disable(KekVersion version) {
    Result result =
        operations.change(
            "remove " + version,
            keystore -> {
              KeystoreDecision decision =
                  VersionRemoval.disable(keystore, version, gatherEvidence(keystore, version));
              if (decision instanceof KeystoreDecision.Accepted) {
                keyringStore.markDisabled(
                    version); // so that the time of an earlier removal does not count
              }
              return decision;
            });
    if (result instanceof Done) {
      keyringStore.markDisabled(version); // the time of this removal
    }
    return result;
  }

  public Result undo(KekVersion version) {
    return operations.change(
        "undo the removal of " + version,
        keystore -> VersionRemoval.undoDisable(keystore, version));
  }

  /// `horizon` is how long backups are kept that may need the version. After `Done` the caller
  /// deletes the bytes and then calls [#markDestroyed].
  public Result destroy(KekVersion version, Duration horizon, FenceWaiver waiver) {
    return operations.change(
        waiver == FenceWaiver.NONE ? "destroy " + version : "destroy " + version + ", fence waived",
        keystore ->
            VersionRemoval.startDestroying(
                keystore, version, gatherEvidence(keystore, version), horizon, waiver));
  }

  /// Audits that the caller is about to delete a key of a version that is being destroyed.
  public Result writeDeletionIntent(KekVersion version, String key) {
    return operations.writeIntent(
        "delete the key of " + version, List.of(AuditChange.ofKeyIntent(version, key)));
  }

  /// The caller has deleted the bytes.
  public Result markDestroyed(KekVersion version) {
    return operations.change(
        version + " is destroyed", keystore -> VersionRemoval.finishDestroying(keystore, version));
  }

  /// This process has not observed the epoch for any time, so only the roster can show that no
  /// process has a lease left.
  private Evidence gatherEvidence(Keystore keystore, KekVersion version) {
    return new Evidence(
        keyringStore.readRoster(keystore.timings()),
        countAll(keystore, version),
        Duration.ZERO,
        disabledAge(version));
  }

  private Duration disabledAge(KekVersion version) {
    return keyringStore
        .readDisabledAge(version)
        .orElseGet(() -> {
          // A revocation disables without this mark: the horizon starts now.
          keyringStore.markDisabled(version);
          return Duration.ZERO;
        });
  }

  private Map<String, CountResult> countAll(Keystore keystore, KekVersion version) {
    Map<String, CountResult> counts = new HashMap<>();
    CollectionSet collections = collectionCatalog.open();
    collections
        .unreachable()
        .forEach(it -> counts.put(it, new NotCounted("this process cannot reach it")));
    collections
        .missing()
        .forEach(it -> counts.put(it, new NotCounted("it is registered but does not exist")));
    List<String> unattested = collections.unattestedClusters(keystore, version);
    for (String cluster : collections.clustersToAttest(keystore)) {
      counts.put(
          "cluster " + cluster,
          unattested.contains(cluster)
              ? new NotCounted(CollectionSet.NO_CENSUS)
              : new Counted(0, false));
    }
    for (FencedCollection collection : collections.reachable()) {
      counts.put(collection.displayName(), count(collection, keystore, version));
    }
    return counts;
  }

  /// Raises the fence first: after that the count cannot grow.
  private static CountResult count(
      FencedCollection collection, Keystore keystore, KekVersion version) {
    try {
      boolean isFenced = !keystore.writable().contains(version) && raiseFence(collection, keystore);
      Census census = collection.takeCensus();
      return census.unreadable() > 0
          ? new NotCounted(census.unreadable() + " records have a field that is not an envelope")
          : new Counted(census.carrying().getOrDefault(version, 0L), isFenced);
    } catch (StoreException e) {
      return new NotCounted(e.getMessage());
    }
  }

  /// Only between rotations, when the writable set can only shrink. During `settling` the keystore
  /// admits two versions in the epoch in which the driver will fence to one; a late fence from here
  /// would undo the driver's.
  private static boolean raiseFence(FencedCollection collection, Keystore keystore) {
    return Rotation.unfinishedJob(keystore.rotation()).isEmpty()
        && collection.raiseFence(CollectionSet.fenceOf(keystore)) instanceof FenceResult.Raised;
  }
}
