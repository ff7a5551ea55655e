package keyfleet.server;

import java.time.Duration;
import java.util.SortedMap;
import keyfleet.control.audit.AuditVerdict;
import keyfleet.control.rewrap.RotationProgress;
import keyfleet.crypto.KekVersion;
import keyfleet.keyring.FleetReadiness.Verdict;
import keyfleet.keyring.Keystore;
import keyfleet.keyring.Roster;
import org.jspecify.annotations.Nullable;

/// A keyring's fleet as it was last seen.
///
/// @param target the version that the fleet should be ready for: the newest that is announced or
///   staged, else the active one
/// @param progress of the last rotation that reported any
/// @param signAge how long ago a driver gave a sign of life
record FleetSnapshot(
    Keystore keystore,
    Roster roster,
    KekVersion target,
    Verdict readiness,
    @Nullable RotationProgress rotationProgress,
    @Nullable Duration driverHeartbeatAge,
    SlowChecks slowChecks) {

  /// What takes long to find out, and is looked for seldom.
  ///
  /// @param envelopes records that need each version; nothing while they were not counted
  /// @param audit nothing while nobody has looked
  record SlowChecks(@Nullable SortedMap<KekVersion, Long> envelopes, @Nullable AuditVerdict audit) {
    static final SlowChecks NONE = new SlowChecks(null, null);
  }
}
