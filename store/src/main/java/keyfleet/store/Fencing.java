package keyfleet.store;

/// What raising a fence came to. An [Unknown] is read back, and the fence raised again if need be.
public sealed interface Fencing
    permits Fencing.Raised, Fencing.Behind, Fencing.Unenforced, Unknown {
  record Raised() implements Fencing {}

  /// The collection holds a fence of a higher term; that one stays.
  record Behind(Fence held) implements Fencing {}

  /// The fence is remembered, but this server holds nobody to it: the collection counts as
  /// unfenced.
  record Unenforced() implements Fencing {}
}
