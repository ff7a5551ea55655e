package keyfleet.crypto;

/// Sees what becomes of each value that a cipher works on, and nothing of the value. Any thread
/// calls it.
public interface CryptoListener {
  /// What was done with a value.
  enum Operation {
    SEAL,
    OPEN,
    REWRAP
  }

  /// What came of it.
  enum Outcome {
    OK,
    /// The envelope does not belong there, or was altered.
    REFUSED,
    NO_SUCH_VERSION,
    /// The device that holds the key did not answer.
    UNAVAILABLE
  }

  CryptoListener NONE = (_, _, _, _) -> {};

  /// A moment on the clock of a witness that has one, which it is handed back at the end.
  default long startTime() {
    return 0;
  }

  /// `version` is the one that was sealed under, opened with or moved to; `began` is what
  /// [#startTime] said.
  void onFinished(Operation operation, KekVersion version, Outcome outcome, long startTime);
}
