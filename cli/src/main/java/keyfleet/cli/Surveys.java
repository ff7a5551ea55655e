package keyfleet.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import keyfleet.cli.Stores.Place;
import keyfleet.keyring.CollectionRegistration;
import keyfleet.store.StoreException;
import keyfleet.store.engine.EnvelopeScan;
import keyfleet.store.engine.EnvelopeScan.Cause;
import keyfleet.store.engine.EnvelopeScan.Scope;
import keyfleet.store.engine.EnvelopeScan.SkippedPart;

/// What a look through every place that a command was told of came to.
record Surveys(List<Undeclared> undeclared, List<NotScanned> notScanned) {
  /// Envelopes that no registration speaks of.
  record Undeclared(String engine, EnvelopeScan.Finding finding) {}

  record NotScanned(String engine, SkippedPart skippedPart) {}

  /// A place that does not answer keeps nobody from the other.
  static Surveys take(Stores stores, List<CollectionRegistration> registered, long rows) {
    List<Undeclared> undeclared = new ArrayList<>();
    List<NotScanned> notScanned = new ArrayList<>();
    for (Place place : stores.places()) {
      String engine = place.engine();
      try {
        EnvelopeScan envelopeScan =
            place.open().get().scanForEnvelopes(scope(place, registered, rows));
        envelopeScan.undeclared().forEach(it -> undeclared.add(new Undeclared(engine, it)));
        envelopeScan.notScanned().forEach(it -> notScanned.add(new NotScanned(engine, it)));
      } catch (StoreException e) {
        notScanned.add(
            new NotScanned(engine, new SkippedPart("all of it", e.getMessage(), Cause.TROUBLE)));
      }
    }
    return new Surveys(undeclared, notScanned);
  }

  /// Of all keyrings: what belongs to another is declared.
  private static Scope scope(Place place, List<CollectionRegistration> registered, long rows) {
    return new Scope(
        registered.stream().filter(place::has).map(Stores::shape).collect(Collectors.toSet()),
        rows);
  }

  boolean isComplete() {
    return notScanned.stream().noneMatch(it -> it.skippedPart().cause() == Cause.TROUBLE);
  }
}
