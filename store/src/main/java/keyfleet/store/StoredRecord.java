package keyfleet.store;

/// A record as far as Keyfleet cares.
public record StoredRecord(RecordId id, SealedFields fields) {}
