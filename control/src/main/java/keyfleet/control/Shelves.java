package keyfleet.control;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.keyring.RotationJob;

/// Finds the collections of a keyring, and begins passes through them.
public final class Shelves {
  private final Ring ring;
  private final RecordStores stores;
  private final Pass.Means means;
  private final Failpoints failpoints;

  /// For whoever does not drive, or drives alone.
  public Shelves(Ring ring, RecordStores stores, Failpoints failpoints) {
    this(ring, stores, Crew.NONE, Pass.BATCH, failpoints);
  }

  /// With a crew, and batches of at most so many records.
  public Shelves(Ring ring, RecordStores stores, Crew crew, int most, Failpoints failpoints) {
    this.ring = ring;
    this.stores = stores;
    this.means = new Pass.Means(crew, Math.clamp(most, 1, Pass.BATCH), failpoints);
    this.failpoints = failpoints;
  }

  /// As registered at this moment.
  Stock stock() {
    return opened(ring.collectionRegistrations());
  }

  /// As registered at this moment. What was found before is not looked up again, if nothing was
  /// missing.
  Stock stock(Stock before) {
    List<CollectionRegistration> registered = ring.collectionRegistrations();
    return registered.equals(before.registered()) && before.gap().isEmpty()
        ? before
        : opened(registered);
  }

  private Stock opened(List<CollectionRegistration> registered) {
    return Stock.of(registered, stores, failpoints);
  }

  /// How many records need each version. Nothing if a collection cannot be reached: a part is not
  /// the whole.
  public Optional<SortedMap<KekVersion, Long>> carrying() {
    Stock stock = stock();
    if (stock.gap().isPresent() || !stock.clusters().isEmpty()) {
      return Optional.empty();
    }
    SortedMap<KekVersion, Long> all = new TreeMap<>();
    for (Shelf shelf : stock.shelves()) {
      shelf.census().carrying().forEach((version, count) -> all.merge(version, count, Long::sum));
    }
    return Optional.of(all);
  }

  Pass rehearsing(Stock stock, RotationJob rotationJob) {
    return Pass.rehearsing(stock, rotationJob, means);
  }

  Pass leaving(Stock stock, RotationJob rotationJob) {
    return Pass.leaving(stock, rotationJob, means);
  }

  Pass sweeping(Stock stock, RotationJob rotationJob) {
    return Pass.sweeping(stock, rotationJob, means);
  }
}
