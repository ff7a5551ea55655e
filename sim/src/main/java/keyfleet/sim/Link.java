package keyfleet.sim;

/// How messages fare between one host and the stores.
enum Link {
  UP,
  /// No request arrives.
  CUT,
  /// Requests arrive, answers are lost.
  ONE_WAY,
  /// Some answers to writes are lost, and some writes come late or twice.
  UNSURE
}
