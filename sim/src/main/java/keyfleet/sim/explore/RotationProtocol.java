package keyfleet.sim.explore;

import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.FleetReadiness;
import keyfleet.keyring.FleetReadiness.Ready;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.ProcessAdmission;
import keyfleet.keyring.ProcessAdmission.Admitted;
import keyfleet.keyring.RotationEvent;
import keyfleet.store.Fence;
import keyfleet.store.SealedFields;

/// What stores, processes and deciding code do. These are the true ones; the tests bend them one at
/// a time, to see that the explorer notices.
public interface RotationProtocol {
  RotationProtocol CORRECT = new RotationProtocol() {};

  /// What happens while a process sleeps.
  enum SuspendedClock {
    RUNS,
    STOPS
  }

  /// What a process does first when it joins.
  enum JoinOrder {
    HEARTBEAT_FIRST,
    READ_FIRST
  }

  default KeystoreDecision decide(Keystore keystore, RotationEvent rotationEvent) {
    return keystore.decide(rotationEvent);
  }

  /// Whether a store lets a record change so.
  default boolean allowsWrite(Fence fence, SealedFields before, SealedFields after) {
    return fence.allows(before, after);
  }

  /// Whether a store with the fence `present` takes another.
  default boolean acceptsFence(Fence present, Fence offered) {
    return present.yieldsTo(offered);
  }

  /// The fence that a driver asks for.
  default Set<KekVersion> requestedVersions(Keystore keystore) {
    return keystore.writable();
  }

  default boolean passesGate(FleetReadiness.Verdict verdict) {
    return verdict instanceof Ready;
  }

  default boolean admits(Keystore keystore, Set<KekVersion> loaded) {
    return ProcessAdmission.of(keystore, loaded) instanceof Admitted;
  }

  default JoinOrder joinOrder() {
    return JoinOrder.HEARTBEAT_FIRST;
  }

  default SuspendedClock suspendedClock() {
    return SuspendedClock.RUNS;
  }
}
