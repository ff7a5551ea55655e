package keyfleet.store;

/// A reason to read again. It has no value: decisions use what `get` or `list` returns.
public sealed interface ChangeHint {
  /// The key was written or deleted, now or some time ago.
  record Changed(Key key) implements ChangeHint {}

  /// The connection was lost for a while, so any number of changes may have been missed: list
  /// again.
  record Missed() implements ChangeHint {}
}
