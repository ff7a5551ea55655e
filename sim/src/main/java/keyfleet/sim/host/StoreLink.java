package keyfleet.sim.host;

/// The state of the network between one host and the stores.
public enum StoreLink {
  UP,
  /// No request arrives.
  CUT,
  /// Requests arrive, answers are lost.
  ONE_WAY,
  /// Some answers to writes are lost, and some writes come late or twice.
  UNSURE
}
