package keyfleet.control;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Job;

/// Finds the collections of a keyring, and begins passes through them.
public final class Shelves {
  private final Ring ring;
  private final RecordStores stores;
  private final int batchSize;
  private final Failpoints failpoints;

  public Shelves(Ring ring, RecordStores stores, Failpoints failpoints) {
    this(ring, stores, Pass.BATCH, failpoints);
  }

  /// With smaller batches than usual, for who shall go slowly.
  public Shelves(Ring ring, RecordStores stores, int batchSize, Failpoints failpoints) {
    this.ring = ring;
    this.stores = stores;
    this.batchSize = Math.clamp(batchSize, 1, Pass.BATCH);
    this.failpoints = failpoints;
  }

  /// As registered at this moment.
  Stock stock() {
    return Stock.of(ring.registrations(), stores, failpoints);
  }

  /// How many records need each version. Nothing if a collection cannot be reached: a part is not
  /// the whole.
  public Optional<SortedMap<KekVersion, Long>> carrying() {
    Stock stock = stock();
    if (stock.gap().isPresent()) {
      return Optional.empty();
    }
    SortedMap<KekVersion, Long> all = new TreeMap<>();
    for (Shelf shelf : stock.shelves()) {
      shelf.census().carrying().forEach((version, count) -> all.merge(version, count, Long::sum));
    }
    return Optional.of(all);
  }

  Pass rehearsing(Stock stock, Job job) {
    return Pass.rehearsing(stock, job, batchSize, failpoints);
  }

  Pass leaving(Stock stock, Job job) {
    return Pass.leaving(stock, job, batchSize, failpoints);
  }

  Pass sweeping(Stock stock, Job job) {
    return Pass.sweeping(stock, job, batchSize, failpoints);
  }
}
