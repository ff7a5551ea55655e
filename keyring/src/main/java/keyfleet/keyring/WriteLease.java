package keyfleet.keyring;

import java.time.Duration;

/// The right to seal. It is counted from the *start* of a round trip (heartbeat acknowledged, then
/// keystore read), on a clock that counts suspended time: a process that was paused finds it
/// expired.
///
/// It shortens the settling of a rotation. It does not stop a writer that pauses between its seal
/// and its store write; the fence does.
public record WriteLease(long roundTripStartNanos, long epoch) {
  public boolean isHeld(long nowNanos, Duration lease) {
    return nowNanos - roundTripStartNanos < lease.toNanos();
  }

  /// Whether no process can still seal under the previous version, `waited` after a flip to
  /// `epoch`: each process reports the epoch, or any lease has expired.
  public static boolean isSettled(Roster roster, long epoch, Duration waited, Duration lease) {
    return waited.compareTo(lease) >= 0
        || (!roster.heartbeats().isEmpty()
            && roster.heartbeats().stream().allMatch(heartbeat -> heartbeat.epoch() >= epoch));
  }
}
