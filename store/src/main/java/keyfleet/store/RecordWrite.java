package keyfleet.store;

/// The result of writing a record.
public sealed interface RecordWrite
    permits RecordWrite.Stored, RecordWrite.Fenced, Conflict, Unknown {
  record Stored() implements RecordWrite {}

  /// The fence refuses this write, now and on every retry; nothing was changed.
  record Fenced(Fence by) implements RecordWrite {}
}
