package keyfleet.store;

/// The result of deleting an entry or a record.
public sealed interface Deletion permits Deletion.Deleted, Conflict, Unknown {
  record Deleted() implements Deletion {}
}
