package keyfleet.kms.state;

import keyfleet.keyring.Keystore;

/// What a plugin hears of its fleet.
public sealed interface FleetState {
  /// It has not joined: nobody else looks after its keys.
  record NotJoined() implements FleetState {}

  /// It has joined, and the keystore is not there or cannot be relied on.
  record KeystoreUnavailable() implements FleetState {}

  record KeystoreAvailable(Keystore keystore) implements FleetState {}
}
