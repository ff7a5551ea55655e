package keyfleet.keyring;

/// What an event comes to.
public sealed interface KeystoreDecision {
  /// The keystore to write, by compare-and-set on the one that was read.
  record Accepted(Keystore keystore) implements KeystoreDecision {}

  /// The event does not concern this state: it is late, a repetition, or of another rotation.
  record Ignored() implements KeystoreDecision {}

  /// An operator's order that cannot be carried out, and why.
  record Refused(String reason) implements KeystoreDecision {}
}
