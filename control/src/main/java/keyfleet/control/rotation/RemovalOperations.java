package keyfleet.control.rotation;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
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
import keyfleet.keyring.VersionRemoval.NotCounted;
import keyfleet.store.Census;
import keyfleet.store.FenceResult;
import keyfleet.store.StoreException;

/// Taking versions out of use, from any process. Evidence is gathered anew for every try.
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

  /// From then no process needs the bytes. It can be undone.
  public Result disable(KekVersion version) {
    Result result =
        operations.change(
            "remove " + version,
            keystore -> {
              KeystoreDecision keystoreDecision =
                  VersionRemoval.disable(keystore, version, gatherEvidence(keystore, version));
              if (keystoreDecision instanceof KeystoreDecision.Accepted) {
                keyringStore.markDisabled(version); // lest the count of an earlier time stand
              }
              return keystoreDecision;
            });
    if (result instanceof Done) {
      keyringStore.markDisabled(version); // the true time
    }
    return result;
  }

  public Result undo(KekVersion version) {
    return operations.change(
        "undo the removal of " + version,
        keystore -> VersionRemoval.undoDisable(keystore, version));
  }

  /// Behind the horizon, for as long as backups are kept that may need the version. Whoever gets
  /// `Done` deletes the bytes and then says [#markDestroyed].
  public Result destroy(KekVersion version, Duration horizon) {
    return operations.change(
        "destroy " + version,
        keystore ->
            VersionRemoval.startDestroying(
                keystore, version, gatherEvidence(keystore, version), horizon));
  }

  /// The bytes are gone.
  public Result markDestroyed(KekVersion version) {
    return operations.change(
        version + " is destroyed", keystore -> VersionRemoval.finishDestroying(keystore, version));
  }

  /// This process has watched no epoch for any time, so only the roster can show that nobody has a
  /// lease left.
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
          keyringStore.markDisabled(
              version); // a revocation disables without a mark: counted from here
          return Duration.ZERO;
        });
  }

  private Map<String, CountResult> countAll(Keystore keystore, KekVersion version) {
    Map<String, CountResult> countResults = new HashMap<>();
    CollectionSet collections = collectionCatalog.open();
    collections
        .unreachable()
        .forEach(it -> countResults.put(it, new NotCounted("it cannot be reached")));
    collections
        .clustersWithoutCensus(keystore)
        .forEach(it -> countResults.put(it, new NotCounted(CollectionSet.NO_CENSUS)));
    for (FencedCollection collection : collections.reachable()) {
      countResults.put(collection.displayName(), count(collection, keystore, version));
    }
    return countResults;
  }

  /// The fence first: what is counted after it cannot grow.
  private static CountResult count(
      FencedCollection collection, Keystore keystore, KekVersion version) {
    try {
      boolean isFenced = !keystore.writable().contains(version) && raiseFence(collection, keystore);
      Census census = collection.takeCensus();
      return census.unreadable() > 0
          ? new NotCounted(census.unreadable() + " records have a field that is no envelope")
          : new Counted(census.carrying().getOrDefault(version, 0L), isFenced);
    } catch (StoreException e) {
      return new NotCounted(e.getMessage());
    }
  }

  /// Between rotations only, when the set can but narrow. A keystore of a settling rotation admits
  /// two versions in the epoch in which its driver will fence to one: raised late, that would undo
  /// the driver's fence.
  private static boolean raiseFence(FencedCollection collection, Keystore keystore) {
    return Rotation.unfinishedJob(keystore.rotation()).isEmpty()
        && collection.raiseFence(CollectionSet.fenceOf(keystore)) instanceof FenceResult.Raised;
  }
}
