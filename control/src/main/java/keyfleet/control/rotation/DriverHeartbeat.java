package keyfleet.control.rotation;

import java.time.Duration;
import java.util.function.LongSupplier;
import keyfleet.keyring.RotationJob;
import keyfleet.keyring.Timings;
import keyfleet.store.Revision;
import org.jspecify.annotations.Nullable;

/// Shows that a driver is alive, and detects that another driver is silent: the revision of its
/// heartbeat has not changed for the adopt time, by the observer's own clock. Clocks of two hosts
/// are never compared.
final class DriverHeartbeat {
  /// What the observer read. The revision is null if there is no heartbeat.
  private record Observation(RotationJob job, @Nullable Revision revision) {}

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

  /// Writes twice in each heartbeat interval. That is often enough: the adopt time is at least two
  /// intervals.
  void writeIfDue(RotationJob job, Timings timings) {
    long now = clock.getAsLong();
    boolean isDue = now - writtenAt >= timings.heartbeat().toNanos() / 2;
    if (isDue || !job.equals(writtenFor)) {
      keyringStore.writeDriverHeartbeat(job);
      writtenFor = job;
      writtenAt = now;
    }
    lastSeen = null;
  }

  /// Whether the job has no driver, or its driver has been silent for the adopt time.
  boolean isSilent(RotationJob job, Timings timings) {
    if (job.isDrivenBy(RotationJob.NO_DRIVER)) {
      return true;
    }
    Observation now = new Observation(job, keyringStore.readDriverHeartbeat().orElse(null));
    if (!now.equals(lastSeen)) {
      lastSeen = now;
      lastSeenAt = clock.getAsLong();
    }
    return Duration.ofNanos(clock.getAsLong() - lastSeenAt).compareTo(timings.adopt()) >= 0;
  }

  /// Nothing is driven now, so no driver can be silent.
  void forget() {
    lastSeen = null;
    writtenFor = null;
  }
}
