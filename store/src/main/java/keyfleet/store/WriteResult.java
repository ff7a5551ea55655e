package keyfleet.store;

/// The result of writing an entry.
public sealed interface WriteResult permits WriteResult.Written, Conflict, Unknown {
  record Written(Revision revision) implements WriteResult {}
}
