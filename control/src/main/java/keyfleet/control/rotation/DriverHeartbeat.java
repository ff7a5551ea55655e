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

  private final KeyringStore keyringStore;
  private final LongSupplier clock;
  private @Nullable Observation lastSeen;
  private long lastSeenAt;
  private @Nullable RotationJob writtenFor;
  private long writtenAt;

  DriverHeartbeat(KeyringStore keyringStore, LongSupplier clock) {
    this.keyringStore = keyringStore;
    this.clock = clock;
  }

  /// Twice in a heartbeat is enough: the adopt time is two heartbeats or more.
  void writeIfDue(RotationJob rotationJob, Timings timings) {
    long now = clock.getAsLong();
    boolean isDue = now - writtenAt >= timings.heartbeat().toNanos() / 2;
    if (isDue || !rotationJob.equals(writtenFor)) {
      keyringStore.writeDriverHeartbeat(rotationJob);
      writtenFor = rotationJob;
      writtenAt = now;
    }
    lastSeen = null;
  }

  /// Whether the job's driver has been silent for the adopt time, or never was there.
  boolean isSilent(RotationJob rotationJob, Timings timings) {
    if (rotationJob.isDrivenBy(RotationJob.NO_DRIVER)) {
      return true;
    }
    Observation now = new Observation(rotationJob, keyringStore.readDriverHeartbeat().orElse(null));
    if (!now.equals(lastSeen)) {
      lastSeen = now;
      lastSeenAt = clock.getAsLong();
    }
    return Duration.ofNanos(clock.getAsLong() - lastSeenAt).compareTo(timings.adopt()) >= 0;
  }

  /// Nothing is driven just now, so nobody can be silent.
  void forget() {
    lastSeen = null;
    writtenFor = null;
  }
}
