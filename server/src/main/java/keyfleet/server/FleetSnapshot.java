package keyfleet.server;

import java.time.Duration;
import java.util.SortedMap;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.ReadinessGate.Verdict;
import keyfleet.keyring.Roster;
import org.jspecify.annotations.Nullable;

/// A keyring's fleet at the last refresh of [FleetMonitor].
///
/// @param target the version that the fleet should be ready for: the newest announced or staged
///   version, else the active one
/// @param rotationProgress of the last rotation that reported progress
/// @param driverHeartbeatAge time since the last heartbeat of a driver
record FleetSnapshot(
    Keystore keystore,
    Roster roster,
    KekVersion target,
    Verdict readiness,
    @Nullable RotationProgress rotationProgress,
    @Nullable Duration driverHeartbeatAge,
    SlowChecks slowChecks) {

  /// Results of checks that read a lot of data and run rarely.
  ///
  /// @param envelopes records that need each version; null before the first count
  /// @param audit null before the first verification
  record SlowChecks(@Nullable SortedMap<KekVersion, Long> envelopes, @Nullable AuditVerdict audit) {
    static final SlowChecks NONE = new SlowChecks(null, null);
  }
}
