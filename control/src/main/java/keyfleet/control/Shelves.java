package keyfleet.control;

import keyfleet.keyring.Job;

/// Finds the collections of a keyring, and begins passes through them.
public final class Shelves {
  private final Ring ring;
  private final RecordStores stores;
  private final Crew crew;
  private final Failpoints failpoints;

  /// For whoever does not drive, or drives alone.
  public Shelves(Ring ring, RecordStores stores, Failpoints failpoints) {
    this(ring, stores, Crew.NONE, failpoints);
  }

  public Shelves(Ring ring, RecordStores stores, Crew crew, Failpoints failpoints) {
    this.ring = ring;
    this.stores = stores;
    this.crew = crew;
    this.failpoints = failpoints;
  }

  /// As registered at this moment.
  Stock stock() {
    return Stock.of(ring.registrations(), stores, failpoints);
  }

  Pass rehearsing(Stock stock, Job job) {
    return Pass.rehearsing(stock, job, crew, failpoints);
  }

  Pass leaving(Stock stock, Job job) {
    return Pass.leaving(stock, job, crew, failpoints);
  }

  Pass sweeping(Stock stock, Job job) {
    return Pass.sweeping(stock, job, crew, failpoints);
  }
}
