package keyfleet.store;

/// The result of raising a fence. After an [Unknown], read the fence back and raise it again if
/// necessary.
public sealed interface FenceResult
    permits FenceResult.Raised, FenceResult.Refused, FenceResult.Unenforced, Unknown {
  record Raised() implements FenceResult {}

  /// The collection has a fence that the offered one may not replace, so it stays: one of a higher
  /// epoch, of another incarnation, or not the expected one.
  record Refused(Fence held) implements FenceResult {}

  /// The fence is stored, but this server does not enforce it: the collection counts as unfenced.
  record Unenforced() implements FenceResult {}
}
