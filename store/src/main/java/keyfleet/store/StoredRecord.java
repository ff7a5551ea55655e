package keyfleet.store;

/// The part of a record that Keyfleet uses: its id and sealed fields.
public record StoredRecord(RecordId id, SealedFields fields) {}
