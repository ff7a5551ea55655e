package keyfleet.cli.kek;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import keyfleet.control.rewrap.StoreConnections;
import keyfleet.control.rewrap.StoreConnections.SearchedStore;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.StoreException;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.EnvelopeScan.Cause;
import keyfleet.store.engine.EnvelopeScan.Scope;
import keyfleet.store.engine.EnvelopeScan.SkippedPart;

/// What a look through every place that a command was told of came to.
record EnvelopeScanReport(
    List<UndeclaredEnvelopes> undeclaredEnvelopes, List<UnscannedPart> unscannedPart) {
  /// Envelopes that no registration speaks of.
  record UndeclaredEnvelopes(String engine, EnvelopeScan.Finding finding) {}

  record UnscannedPart(String engine, SkippedPart skippedPart) {}

  /// A place that does not answer keeps nobody from the other.
  static EnvelopeScanReport scan(
      StoreConnections storeConnections, List<CollectionRegistration> registered, long rows) {
    List<UndeclaredEnvelopes> undeclaredEnvelopes = new ArrayList<>();
    List<UnscannedPart> unscannedPart = new ArrayList<>();
    for (SearchedStore searchedStore : storeConnections.searchedStores()) {
      String engine = searchedStore.engine();
      try {
        EnvelopeScan envelopeScan =
            searchedStore.open().get().scanForEnvelopes(toScope(searchedStore, registered, rows));
        envelopeScan
            .undeclared()
            .forEach(it -> undeclaredEnvelopes.add(new UndeclaredEnvelopes(engine, it)));
        envelopeScan.notScanned().forEach(it -> unscannedPart.add(new UnscannedPart(engine, it)));
      } catch (StoreException e) {
        unscannedPart.add(
            new UnscannedPart(engine, new SkippedPart("all of it", e.getMessage(), Cause.TROUBLE)));
      }
    }
    return new EnvelopeScanReport(undeclaredEnvelopes, unscannedPart);
  }

  /// Of all keyrings: what belongs to another is declared.
  private static Scope toScope(
      SearchedStore searchedStore, List<CollectionRegistration> registered, long rows) {
    return new Scope(
        registered.stream()
            .filter(searchedStore::has)
            .map(StoreConnections::toShape)
            .collect(Collectors.toSet()),
        rows);
  }

  boolean isComplete() {
    return unscannedPart.stream().noneMatch(it -> it.skippedPart().cause() == Cause.TROUBLE);
  }
}
