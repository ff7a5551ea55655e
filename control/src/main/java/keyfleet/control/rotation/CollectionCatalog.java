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
  private final KeyringStore ring;
  private final CollectionOpener stores;
  private final RewrapPass.Options means;
  private final Failpoints failpoints;

  /// For whoever does not drive, or drives alone.
  public CollectionCatalog(KeyringStore ring, CollectionOpener stores, Failpoints failpoints) {
    this(ring, stores, BatchExecutor.NONE, RewrapPass.BATCH, failpoints);
  }

  /// With a crew, and batches of at most so many records.
  public CollectionCatalog(
      KeyringStore ring,
      CollectionOpener stores,
      BatchExecutor crew,
      int most,
      Failpoints failpoints) {
    this.ring = ring;
    this.stores = stores;
    this.means = new RewrapPass.Options(crew, Math.clamp(most, 1, RewrapPass.BATCH), failpoints);
    this.failpoints = failpoints;
  }

  /// As registered at this moment.
  CollectionSet stock() {
    return opened(ring.collectionRegistrations());
  }

  /// As registered at this moment. What was found before is not looked up again, if nothing was
  /// missing.
  CollectionSet stock(CollectionSet before) {
    List<CollectionRegistration> registered = ring.collectionRegistrations();
    return registered.equals(before.registered()) && before.gap().isEmpty()
        ? before
        : opened(registered);
  }

  private CollectionSet opened(List<CollectionRegistration> registered) {
    return CollectionSet.of(registered, stores, failpoints);
  }

  /// How many records need each version. Nothing if a collection cannot be reached: a part is not
  /// the whole.
  public Optional<SortedMap<KekVersion, Long>> carrying() {
    CollectionSet stock = stock();
    if (stock.gap().isPresent() || !stock.clusters().isEmpty()) {
      return Optional.empty();
    }
    SortedMap<KekVersion, Long> all = new TreeMap<>();
    for (FencedCollection shelf : stock.shelves()) {
      shelf.census().carrying().forEach((version, count) -> all.merge(version, count, Long::sum));
    }
    return Optional.of(all);
  }

  RewrapPass rehearsing(CollectionSet stock, RotationJob rotationJob) {
    return RewrapPass.rehearsing(stock, rotationJob, means);
  }

  RewrapPass leaving(CollectionSet stock, RotationJob rotationJob) {
    return RewrapPass.leaving(stock, rotationJob, means);
  }

  RewrapPass sweeping(CollectionSet stock, RotationJob rotationJob) {
    return RewrapPass.sweeping(stock, rotationJob, means);
  }
}
