package keyfleet.store;

/// What the store shows about the effect of a [ConditionalWrite].
public sealed interface WriteOutcome {
  record Applied(Revision revision) implements WriteOutcome {}

  /// Another write or deletion changed the key. This write may have been stored before that; the
  /// store cannot tell. Decide again from the current state.
  record Superseded() implements WriteOutcome {}

  /// Not stored, but it may still arrive. Sending the same write again is safe.
  record Pending() implements WriteOutcome {}
}
