package keyfleet.store;

/// A key's value as one write left it, and when that was.
public record Entry(Key key, Value value, Revision revision, StoreTime writtenAt) {}
