package keyfleet.store;

/// What writing a record came to.
public sealed interface RecordWrite
    permits RecordWrite.Stored, RecordWrite.Fenced, Conflict, Unknown {
  record Stored() implements RecordWrite {}

  /// The fence refuses it, now and at every later try; nothing was changed.
  record Fenced(Fence by) implements RecordWrite {}
}
