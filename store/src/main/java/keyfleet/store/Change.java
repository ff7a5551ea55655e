package keyfleet.store;

/// A record as it was read, and what all its sealed fields shall be instead. Both name the same
/// fields: a change that forgot one would lose it.
public record Change(StoredRecord from, SealedFields to) {
  public Change {
    if (!from.fields().byName().keySet().equals(to.byName().keySet())) {
      throw new IllegalArgumentException(
          "record %s has sealed fields %s, its change names %s"
              .formatted(from.id(), from.fields().byName().keySet(), to.byName().keySet()));
    }
  }
}
