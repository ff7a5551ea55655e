package keyfleet.store;

/// What writing an entry came to.
public sealed interface Write permits Write.Written, Conflict, Unknown {
  record Written(Revision revision) implements Write {}
}
