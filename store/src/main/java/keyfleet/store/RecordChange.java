package keyfleet.store;

/// A record as it was read, and the new values of all its sealed fields. Both name the same fields:
/// a change that left one out would lose it.
public record RecordChange(StoredRecord before, SealedFields after) {
  public RecordChange {
    if (!before.fields().byName().keySet().equals(after.byName().keySet())) {
      throw new IllegalArgumentException(
          "record %s has sealed fields %s, its change names %s"
              .formatted(before.id(), before.fields().byName().keySet(), after.byName().keySet()));
    }
  }
}
