package keyfleet.keyring;

import java.time.Duration;

/// The right to seal. It is counted from the *start* of a round trip (heartbeat acknowledged, then
/// keystore read), on a clock that goes on while the machine sleeps: a process that was paused
/// finds it run out.
///
/// It shortens the settling of a rotation. It does not stop a writer that pauses between its seal
/// and its store write; the fence does.
public record WriteLease(long roundTripStartNanos, long epoch) {
  public boolean isHeld(long nowNanos, Duration lease) {
    return nowNanos - roundTripStartNanos < lease.toNanos();
  }

  /// Whether, `waited` after a flip to `epoch`, no process can still seal under what came before:
  /// each shows the epoch, or whatever lease it had has run out.
  public static boolean isSettled(Roster roster, long epoch, Duration waited, Duration lease) {
    return waited.compareTo(lease) >= 0
        || (!roster.heartbeats().isEmpty()
            && roster.heartbeats().stream().allMatch(heartbeat -> heartbeat.epoch() >= epoch));
  }
}
