package keyfleet.store;

/// The result of raising a fence. After an [Unknown], read the fence back and raise it again if
/// necessary.
public sealed interface Fencing
    permits Fencing.Raised, Fencing.Behind, Fencing.Unenforced, Unknown {
  record Raised() implements Fencing {}

  /// The collection already has a fence of a higher term, which stays.
  record Behind(Fence held) implements Fencing {}

  /// The fence is stored, but this server does not enforce it: the collection counts as unfenced.
  record Unenforced() implements Fencing {}
}
