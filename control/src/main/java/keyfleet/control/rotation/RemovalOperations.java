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
  private final KeyringStore ring;
  private final CollectionCatalog shelves;
  private final KeyringOperations orders;

  public RemovalOperations(KeyringStore ring, CollectionCatalog shelves, KeyringOperations orders) {
    this.ring = ring;
    this.shelves = shelves;
    this.orders = orders;
  }

  /// From then no process needs the bytes. It can be undone.
  public Result disable(KekVersion version) {
    Result answer =
        orders.changed(
            "remove " + version,
            keystore -> {
              KeystoreDecision keystoreDecision =
                  VersionRemoval.disable(keystore, version, evidence(keystore, version));
              if (keystoreDecision instanceof KeystoreDecision.Accepted) {
                ring.markDisabled(version); // lest the count of an earlier time stand
              }
              return keystoreDecision;
            });
    if (answer instanceof Done) {
      ring.markDisabled(version); // the true time
    }
    return answer;
  }

  public Result undo(KekVersion version) {
    return orders.changed(
        "undo the removal of " + version,
        keystore -> VersionRemoval.undoDisable(keystore, version));
  }

  /// Behind the horizon, for as long as backups are kept that may need the version. Whoever gets
  /// `Done` deletes the bytes and then says [#destroyed].
  public Result destroy(KekVersion version, Duration horizon) {
    return orders.changed(
        "destroy " + version,
        keystore ->
            VersionRemoval.startDestroying(
                keystore, version, evidence(keystore, version), horizon));
  }

  /// The bytes are gone.
  public Result destroyed(KekVersion version) {
    return orders.changed(
        version + " is destroyed", keystore -> VersionRemoval.finishDestroying(keystore, version));
  }

  /// This process has watched no epoch for any time, so only the roster can show that nobody has a
  /// lease left.
  private Evidence evidence(Keystore keystore, KekVersion version) {
    return new Evidence(
        ring.roster(keystore.timings()), counts(keystore, version), Duration.ZERO, since(version));
  }

  private Duration since(KekVersion version) {
    return ring.disabledFor(version)
        .orElseGet(() -> {
          ring.markDisabled(version); // a revocation disables without a mark: counted from here
          return Duration.ZERO;
        });
  }

  private Map<String, CountResult> counts(Keystore keystore, KekVersion version) {
    Map<String, CountResult> countResults = new HashMap<>();
    CollectionSet stock = shelves.stock();
    stock.unreachable().forEach(it -> countResults.put(it, new NotCounted("it cannot be reached")));
    stock
        .uncounted(keystore)
        .forEach(it -> countResults.put(it, new NotCounted(CollectionSet.NO_CENSUS)));
    for (FencedCollection shelf : stock.shelves()) {
      countResults.put(shelf.title(), count(shelf, keystore, version));
    }
    return countResults;
  }

  /// The fence first: what is counted after it cannot grow.
  private static CountResult count(FencedCollection shelf, Keystore keystore, KekVersion version) {
    try {
      boolean fenced = !keystore.writable().contains(version) && isFenced(shelf, keystore);
      Census census = shelf.census();
      return census.unreadable() > 0
          ? new NotCounted(census.unreadable() + " records have a field that is no envelope")
          : new Counted(census.carrying().getOrDefault(version, 0L), fenced);
    } catch (StoreException e) {
      return new NotCounted(e.getMessage());
    }
  }

  /// Between rotations only, when the set can but narrow. A keystore of a settling rotation admits
  /// two versions in the epoch in which its driver will fence to one: raised late, that would undo
  /// the driver's fence.
  private static boolean isFenced(FencedCollection shelf, Keystore keystore) {
    return Rotation.unfinishedJob(keystore.rotation()).isEmpty()
        && shelf.raise(CollectionSet.wanted(keystore)) instanceof FenceResult.Raised;
  }
}
