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
import keyfleet.keyring.RotationJob;

/// Finds the collections of a keyring, and begins passes through them.
public final class CollectionCatalog {
  private final KeyringStore keyringStore;
  private final CollectionOpener opener;
  private final RewrapPass.Options options;
  private final Failpoints failpoints;

  /// For whoever does not drive, or drives alone.
  public CollectionCatalog(
      KeyringStore keyringStore, CollectionOpener opener, Failpoints failpoints) {
    this(keyringStore, opener, BatchExecutor.DIRECT, RewrapPass.MAX_BATCH, failpoints);
  }

  /// With a crew, and batches of at most so many records.
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

  /// As registered at this moment.
  CollectionSet open() {
    return openAll(keyringStore.collectionRegistrations());
  }

  /// As registered at this moment. What was found before is not looked up again, if nothing was
  /// missing.
  CollectionSet open(CollectionSet before) {
    List<CollectionRegistration> registrations = keyringStore.collectionRegistrations();
    return registrations.equals(before.registrations()) && before.findUnreachable().isEmpty()
        ? before
        : openAll(registrations);
  }

  private CollectionSet openAll(List<CollectionRegistration> registrations) {
    return CollectionSet.of(registrations, opener, failpoints);
  }

  /// How many records need each version. Nothing if a collection cannot be reached: a part is not
  /// the whole.
  public Optional<SortedMap<KekVersion, Long>> countByVersion() {
    CollectionSet stock = open();
    if (stock.findUnreachable().isPresent() || !stock.clusters().isEmpty()) {
      return Optional.empty();
    }
    SortedMap<KekVersion, Long> counts = new TreeMap<>();
    for (FencedCollection collection : stock.reachable()) {
      collection
          .takeCensus()
          .carrying()
          .forEach((version, count) -> counts.merge(version, count, Long::sum));
    }
    return Optional.of(counts);
  }

  RewrapPass newDryRun(CollectionSet stock, RotationJob rotationJob) {
    return RewrapPass.dryRun(stock, rotationJob, options);
  }

  RewrapPass newRewrap(CollectionSet stock, RotationJob rotationJob) {
    return RewrapPass.overOldVersion(stock, rotationJob, options);
  }

  RewrapPass newSweep(CollectionSet stock, RotationJob rotationJob) {
    return RewrapPass.overAllButTarget(stock, rotationJob, options);
  }
}
