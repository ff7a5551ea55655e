package keyfleet.store;

/// What an [ConditionalWrite] has done so far, as far as the store shows.
public sealed interface WriteOutcome {
  record Applied(Revision revision) implements WriteOutcome {}

  /// Another write or deletion changed the key. Whether this write was stored for a moment before
  /// cannot be seen: decide again from the current state.
  record Superseded() implements WriteOutcome {}

  /// Not stored, but it may still arrive. Sending the same write again is safe.
  record Pending() implements WriteOutcome {}
}
