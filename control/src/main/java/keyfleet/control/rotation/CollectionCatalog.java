package keyfleet.control.rotation;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.control.Failpoints;
import keyfleet.control.rewrap.BatchExecutor;
import keyfleet.control.rewrap.CollectionOpener;
import keyfleet.control.rewrap.CollectionSet;
import keyfleet.control.rewrap.FencedCollection;
import keyfleet.control.rewrap.RewrapPass;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.SafeHold;
import keyfleet.member.document.KeystoreStore.StoredKeystore;

/// Opens the collections of a keyring, for passes with these options.
public final class CollectionCatalog {
  /// How often a keystore is read that changes meanwhile.
  private static final int MAX_READINGS = 5;

  private final KeyringStore keyringStore;
  private final CollectionOpener opener;
  private final RewrapPass.Options options;
  private final Failpoints failpoints;

  /// For processes that do not drive, or that drive in one thread.
  public CollectionCatalog(
      KeyringStore keyringStore, CollectionOpener opener, Failpoints failpoints) {
    this(keyringStore, opener, BatchExecutor.DIRECT, RewrapPass.MAX_BATCH, failpoints);
  }

  /// `batchExecutor` may work ahead; `maxBatch` limits the records of a batch.
  public CollectionCatalog(
      KeyringStore keyringStore,
      CollectionOpener opener,
      BatchExecutor batchExecutor,
      int maxBatch,
      Failpoints failpoints) {
    this.keyringStore = keyringStore;
    this.opener = opener;
    this.options =
        new RewrapPass.Options(
            batchExecutor, Math.clamp(maxBatch, 1, RewrapPass.MAX_BATCH), failpoints);
    this.failpoints = failpoints;
  }

  RewrapPass.Options passOptions() {
    return options;
  }

  /// The collections that are registered now.
  CollectionSet open() {
    return openAll(keyringStore.readRegistrations());
  }

  /// The collections that are registered now. Returns `before` if the registrations are the same
  /// and all collections were reachable.
  CollectionSet open(CollectionSet before) {
    List<CollectionRegistration> registrations = keyringStore.readRegistrations();
    return registrations.equals(before.registrations()) && before.describeUnreachable().isEmpty()
        ? before
        : openAll(registrations);
  }

  private CollectionSet openAll(List<CollectionRegistration> registrations) {
    return CollectionSet.of(registrations, opener, failpoints);
  }

  /// Why nothing may be sealed: the fence of a collection that this process can reach is ahead of
  /// the keystore, which may meanwhile have changed. Empty if none is.
  public Optional<SafeHold> findSafeHold(Keystore keystore) {
    return open().findSafeHold(keystore);
  }

  /// As [#findSafeHold(Keystore)], for the keystore of this moment. A rotation raises the epoch and
  /// then the fences, so fences that are read after the keystore may be ahead of that reading only;
  /// then it is read again. A keystore that keeps changing is not held.
  public Optional<SafeHold> findSafeHold() {
    for (int i = 0; i < MAX_READINGS; i++) {
      StoredKeystore stored = keyringStore.keystores().read().orElse(null);
      Optional<SafeHold> found =
          stored == null ? Optional.empty() : findSafeHold(stored.keystore());
      if (stored == null || found.isEmpty() || keyringStore.keystores().isUnchanged(stored)) {
        return found;
      }
    }
    return Optional.empty();
  }

  /// How many records need each version. Empty if a collection is unreachable: a partial count
  /// would mislead.
  public Optional<SortedMap<KekVersion, Long>> countByVersion() {
    CollectionSet collections = open();
    if (collections.describeUnreachable().isPresent() || !collections.clusters().isEmpty()) {
      return Optional.empty();
    }
    SortedMap<KekVersion, Long> counts = new TreeMap<>();
    for (FencedCollection collection : collections.reachable()) {
      collection
          .takeCensus()
          .carrying()
          .forEach((version, count) -> counts.merge(version, count, Long::sum));
    }
    return Optional.of(counts);
  }
}
