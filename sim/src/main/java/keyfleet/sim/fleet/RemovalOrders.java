package keyfleet.sim.fleet;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import keyfleet.control.rotation.KeyringOperations.Done;
import keyfleet.control.rotation.RemovalOperations;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.VersionRemoval.FenceWaiver;
import keyfleet.keyring.VersionState;

/// An operator's orders that remove a version, one step at a time.
///
/// @param shredder deletes the bytes of a version on every host
public record RemovalOrders(
    RemovalOperations removals,
    Duration horizon,
    FenceWaiver waiver,
    Consumer<KekVersion> shredder) {
  /// Gives the next order for a version in this state. Returns the answer; empty if there is
  /// nothing to do.
  public Optional<Object> giveNext(KekVersion version, VersionState state) {
    return switch (state) {
      case DECRYPT_ONLY -> Optional.of(removals.disable(version));
      case DISABLED -> Optional.of(destroy(version));
      case DESTROYING -> {
        shredder.accept(version);
        yield Optional.of(removals.markDestroyed(version));
      }
      case ANNOUNCED, WITHDRAWN, STAGED, ACTIVE, DESTROYED -> Optional.empty();
    };
  }

  private Object destroy(KekVersion version) {
    Object answer = removals.destroy(version, horizon, waiver);
    if (answer instanceof Done) {
      shredder.accept(version);
    }
    return answer;
  }
}
