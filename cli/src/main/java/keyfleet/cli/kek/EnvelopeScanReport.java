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
record EnvelopeScanReport(List<UndeclaredEnvelopes> undeclared, List<UnscannedPart> notScanned) {
  /// Envelopes that no registration speaks of.
  record UndeclaredEnvelopes(String engine, EnvelopeScan.Finding finding) {}

  record UnscannedPart(String engine, SkippedPart skippedPart) {}

  /// A place that does not answer keeps nobody from the other.
  static EnvelopeScanReport take(
      StoreConnections stores, List<CollectionRegistration> registered, long rows) {
    List<UndeclaredEnvelopes> undeclared = new ArrayList<>();
    List<UnscannedPart> notScanned = new ArrayList<>();
    for (SearchedStore place : stores.places()) {
      String engine = place.engine();
      try {
        EnvelopeScan envelopeScan =
            place.open().get().scanForEnvelopes(scope(place, registered, rows));
        envelopeScan
            .undeclared()
            .forEach(it -> undeclared.add(new UndeclaredEnvelopes(engine, it)));
        envelopeScan.notScanned().forEach(it -> notScanned.add(new UnscannedPart(engine, it)));
      } catch (StoreException e) {
        notScanned.add(
            new UnscannedPart(engine, new SkippedPart("all of it", e.getMessage(), Cause.TROUBLE)));
      }
    }
    return new EnvelopeScanReport(undeclared, notScanned);
  }

  /// Of all keyrings: what belongs to another is declared.
  private static Scope scope(
      SearchedStore place, List<CollectionRegistration> registered, long rows) {
    return new Scope(
        registered.stream()
            .filter(place::has)
            .map(StoreConnections::shape)
            .collect(Collectors.toSet()),
        rows);
  }

  boolean isComplete() {
    return notScanned.stream().noneMatch(it -> it.skippedPart().cause() == Cause.TROUBLE);
  }
}
