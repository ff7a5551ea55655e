package keyfleet.store;

/// A key's value as one write left it, with the revision and time of that write.
public record Entry(Key key, Value value, Revision revision, StoreTime writtenAt) {}
