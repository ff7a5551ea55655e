package keyfleet.store;

/// A reason to read again. It carries no value: a decision rests on what `get` or `list` answers.
public sealed interface Hint {
  /// The key was written or deleted, now or a while ago.
  record Changed(Key key) implements Hint {}

  /// The connection was lost for a while, and any number of changes with it: list again.
  record Missed() implements Hint {}
}
