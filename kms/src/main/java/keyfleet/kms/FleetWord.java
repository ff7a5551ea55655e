package keyfleet.kms;

import keyfleet.keyring.Keystore;

/// What a plugin hears of its fleet.
sealed interface FleetWord {
  /// It has not joined: nobody else looks after its keys.
  record Alone() implements FleetWord {}

  /// It has joined, and the keystore is not there or cannot be relied on.
  record Silent() implements FleetWord {}

  record Says(Keystore keystore) implements FleetWord {}
}
