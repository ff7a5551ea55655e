package keyfleet.store;

/// No answer in time: the change may have been made, or a message in flight may still make it.
public record Unknown() implements WriteResult, DeleteResult, RecordWriteResult, FenceResult {}
