package keyfleet.store;

/// The result of deleting an entry or a record.
public sealed interface DeleteResult permits DeleteResult.Deleted, Conflict, Unknown {
  record Deleted() implements DeleteResult {}
}
