package keyfleet.sim.explore;

import java.util.List;
import java.util.Map;
import java.util.Set;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.HoldResolution;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.KeystoreDecision;
import keyfleet.keyring.ProcessAdmission;
import keyfleet.keyring.ProcessAdmission.Admitted;
import keyfleet.keyring.ReadinessGate;
import keyfleet.keyring.ReadinessGate.Ready;
import keyfleet.keyring.RotationEvent;
import keyfleet.keyring.SafeHold;
import keyfleet.keyring.SafeHold.FenceMark;
import keyfleet.store.Fence;
import keyfleet.store.SealedFields;

/// What stores, processes and the deciding code do in a rotation. The defaults are correct; tests
/// override one at a time to plant a bug.
public interface RotationProtocol {
  RotationProtocol CORRECT = new RotationProtocol() {};

  /// What the elapsed clock does while a process sleeps.
  enum SuspendedClock {
    RUNS,
    STOPS
  }

  /// What a process does first when it joins.
  enum JoinOrder {
    HEARTBEAT_FIRST,
    READ_FIRST
  }

  default KeystoreDecision withdraw(Keystore keystore, KekVersion version) {
    return keystore.withdraw(version);
  }

  /// Whether a keystore is held because the fence is ahead of it.
  default boolean isHeld(Keystore keystore, FenceMark fence) {
    return SafeHold.check(keystore, Map.of("records", fence)).isPresent();
  }

  default KeystoreDecision adoptFence(Keystore keystore, FenceMark fence) {
    return HoldResolution.adoptFences(keystore, List.of(fence), Map.of());
  }

  default KeystoreDecision acceptKeystore(Keystore keystore, FenceMark fence) {
    return HoldResolution.acceptKeystore(keystore, List.of(fence));
  }

  default KeystoreDecision decide(Keystore keystore, RotationEvent event) {
    return keystore.decide(event);
  }

  /// Whether a store allows a change of a record.
  default boolean isWriteAllowed(Fence fence, SealedFields before, SealedFields after) {
    return fence.isChangeAllowed(before, after);
  }

  /// Whether a store with the fence `present` accepts another.
  default boolean isFenceAccepted(Fence present, Fence offered) {
    return present.canYieldTo(offered);
  }

  /// The writable versions of the fence that a driver requests.
  default Set<KekVersion> requestedVersions(Keystore keystore) {
    return keystore.writable();
  }

  default boolean isGatePassed(ReadinessGate.Verdict verdict) {
    return verdict instanceof Ready;
  }

  default boolean isAdmitted(Keystore keystore, Set<KekVersion> loaded) {
    return ProcessAdmission.of(keystore, loaded) instanceof Admitted;
  }

  default JoinOrder joinOrder() {
    return JoinOrder.HEARTBEAT_FIRST;
  }

  default SuspendedClock suspendedClock() {
    return SuspendedClock.RUNS;
  }
}
