package keyfleet.store;

/// What the caller expected did not hold; nothing was changed.
public record Conflict() implements Write, Deletion, RecordWrite {}
