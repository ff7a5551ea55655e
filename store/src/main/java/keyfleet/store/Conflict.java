package keyfleet.store;

/// The stored state was not what the caller expected; nothing was changed.
public record Conflict() implements WriteResult, DeleteResult, RecordWriteResult {}
