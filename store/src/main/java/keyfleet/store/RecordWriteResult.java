package keyfleet.store;

/// The result of writing a record.
public sealed interface RecordWriteResult
    permits RecordWriteResult.Stored, RecordWriteResult.Fenced, Conflict, Unknown {
  record Stored() implements RecordWriteResult {}

  /// The fence refuses this write, now and on every retry; nothing was changed.
  record Fenced(Fence by) implements RecordWriteResult {}
}
