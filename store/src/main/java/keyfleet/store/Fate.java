package keyfleet.store;

/// What became of an [Attempt].
public sealed interface Fate {
  record Applied(Revision revision) implements Fate {}

  /// Another write or deletion came. Whether ours stood for a moment before it cannot be seen:
  /// decide anew from what is there.
  record Overtaken() implements Fate {}

  /// Not there, though it may yet arrive. Sending the same attempt again is safe.
  record Pending() implements Fate {}
}
