package keyfleet.crypto;

/// Receives the outcome of every operation of a cipher, and nothing of the value. Any thread may
/// call it.
public interface CryptoListener {
  enum Operation {
    SEAL,
    OPEN,
    REWRAP
  }

  enum Outcome {
    OK,
    /// The envelope does not belong there or was altered.
    REFUSED,
    NO_SUCH_VERSION,
    /// The device that holds the key did not answer.
    UNAVAILABLE
  }

  CryptoListener NONE = (_, _, _, _) -> {};

  /// The time of the listener's own clock. The cipher passes it back to [#onFinished].
  default long startTime() {
    return 0;
  }

  /// `version` is the one that the value was sealed under, opened with or moved to. `startTime` is
  /// what [#startTime] returned.
  void onFinished(Operation operation, KekVersion version, Outcome outcome, long startTime);
}
