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

/// The result of searching every store of a command for envelopes.
record EnvelopeScanReport(
    List<UndeclaredEnvelopes> undeclared, List<UnscannedPart> unscannedParts) {
  /// Envelopes in a field that no registration names.
  record UndeclaredEnvelopes(String engine, EnvelopeScan.Finding finding) {}

  record UnscannedPart(String engine, SkippedPart part) {}

  /// Searches each store. A store that fails does not stop the search of the others.
  static EnvelopeScanReport scan(
      StoreConnections storeConnections, List<CollectionRegistration> registered, long rows) {
    List<UndeclaredEnvelopes> undeclared = new ArrayList<>();
    List<UnscannedPart> unscannedParts = new ArrayList<>();
    for (SearchedStore store : storeConnections.searchedStores()) {
      String engine = store.engine();
      try {
        EnvelopeScan envelopeScan =
            store.open().get().scanForEnvelopes(toScope(store, registered, rows));
        envelopeScan
            .undeclared()
            .forEach(it -> undeclared.add(new UndeclaredEnvelopes(engine, it)));
        envelopeScan.notScanned().forEach(it -> unscannedParts.add(new UnscannedPart(engine, it)));
      } catch (StoreException e) {
        unscannedParts.add(
            new UnscannedPart(engine, new SkippedPart("all of it", e.getMessage(), Cause.TROUBLE)));
      }
    }
    return new EnvelopeScanReport(undeclared, unscannedParts);
  }

  /// The collections of all keyrings count as declared, not only those of this keyring.
  private static Scope toScope(
      SearchedStore store, List<CollectionRegistration> registered, long rows) {
    return new Scope(
        registered.stream()
            .filter(store::has)
            .map(StoreConnections::toShape)
            .collect(Collectors.toSet()),
        rows);
  }

  boolean isComplete() {
    return unscannedParts.stream().noneMatch(it -> it.part().cause() == Cause.TROUBLE);
  }
}
