package keyfleet.store;

/// The result of raising a fence. After an [Unknown], read the fence back and raise it again if
/// necessary.
public sealed interface FenceResult
    permits FenceResult.Raised, FenceResult.StaleTerm, FenceResult.Unenforced, Unknown {
  record Raised() implements FenceResult {}

  /// The collection already has a fence of a higher term, which stays.
  record StaleTerm(Fence held) implements FenceResult {}

  /// The fence is stored, but this server does not enforce it: the collection counts as unfenced.
  record Unenforced() implements FenceResult {}
}
