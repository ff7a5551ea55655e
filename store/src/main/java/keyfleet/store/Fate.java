package keyfleet.store;

/// What an [Attempt] has done so far, as far as the store shows.
public sealed interface Fate {
  record Applied(Revision revision) implements Fate {}

  /// Another write or deletion changed the key. Whether this write was stored for a moment before
  /// cannot be seen: decide again from the current state.
  record Overtaken() implements Fate {}

  /// Not stored, but it may still arrive. Sending the same write again is safe.
  record Pending() implements Fate {}
}
