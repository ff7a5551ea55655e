package keyfleet.kms.state;

import keyfleet.keyring.Keystore;

/// What the plugin knows of its fleet.
public sealed interface FleetState {
  /// The plugin has not joined, so no member refreshes its keys.
  record NotJoined() implements FleetState {}

  /// The plugin has joined, but the keystore is missing or cannot be trusted.
  record KeystoreUnavailable() implements FleetState {}

  record KeystoreAvailable(Keystore keystore) implements FleetState {}
}
