package keyfleet.store;

/// The result of writing an entry.
public sealed interface Write permits Write.Written, Conflict, Unknown {
  record Written(Revision revision) implements Write {}
}
