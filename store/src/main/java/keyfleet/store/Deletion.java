package keyfleet.store;

/// What deleting an entry or a record came to.
public sealed interface Deletion permits Deletion.Deleted, Conflict, Unknown {
  record Deleted() implements Deletion {}
}
