package keyfleet.sim.explore;

import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.RotationEvent;

/// What an operator does once, at any time.
public sealed interface RotationOrder {
  record Request(RotationEvent event) implements RotationOrder {}

  record Withdraw(KekVersion version) implements RotationOrder {}

  /// Restores an old keystore. The fence remembers what it does not know, so it is held.
  record Restore(Keystore backup) implements RotationOrder {}

  /// Resolves the hold, for the fence or for the keystore.
  record Resolve() implements RotationOrder {}
}
