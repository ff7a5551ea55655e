package keyfleet.store;

/// A record as it was read, and the new values of all its sealed fields. Both name the same fields:
/// a change that left one out would lose it.
public record RecordChange(StoredRecord from, SealedFields to) {
  public RecordChange {
    if (!from.fields().byName().keySet().equals(to.byName().keySet())) {
      throw new IllegalArgumentException(
          "record %s has sealed fields %s, its change names %s"
              .formatted(from.id(), from.fields().byName().keySet(), to.byName().keySet()));
    }
  }
}
