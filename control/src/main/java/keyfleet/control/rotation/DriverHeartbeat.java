package keyfleet.control.rotation;

import java.time.Duration;
import java.util.function.LongSupplier;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.Timings;
import keyfleet.store.Revision;
import org.jspecify.annotations.Nullable;

/// How a driver shows that it lives, and how another notices that it does not: the sign's revision
/// has not moved for the adopt time, on the watcher's own clock. No two clocks are compared.
final class DriverHeartbeat {
  /// What a watcher saw; a sign never given has no revision.
  private record Observation(RotationJob rotationJob, @Nullable Revision revision) {}

  private final KeyringStore ring;
  private final LongSupplier clock;
  private @Nullable Observation seen;
  private long since;
  private @Nullable RotationJob signed;
  private long signedAt;

  DriverHeartbeat(KeyringStore ring, LongSupplier clock) {
    this.ring = ring;
    this.clock = clock;
  }

  /// Twice in a heartbeat is enough: the adopt time is two heartbeats or more.
  void give(RotationJob rotationJob, Timings timings) {
    long now = clock.getAsLong();
    boolean due = now - signedAt >= timings.heartbeat().toNanos() / 2;
    if (due || !rotationJob.equals(signed)) {
      ring.sign(rotationJob);
      signed = rotationJob;
      signedAt = now;
    }
    seen = null;
  }

  /// Whether the job's driver has been silent for the adopt time, or never was there.
  boolean isSilent(RotationJob rotationJob, Timings timings) {
    if (rotationJob.isDrivenBy(RotationJob.NO_DRIVER)) {
      return true;
    }
    Observation now = new Observation(rotationJob, ring.lastSign().orElse(null));
    if (!now.equals(seen)) {
      seen = now;
      since = clock.getAsLong();
    }
    return Duration.ofNanos(clock.getAsLong() - since).compareTo(timings.adopt()) >= 0;
  }

  /// Nothing is driven just now, so nobody can be silent.
  void forget() {
    seen = null;
    signed = null;
  }
}
