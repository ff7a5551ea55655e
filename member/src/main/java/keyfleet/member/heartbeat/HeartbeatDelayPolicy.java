package keyfleet.member.heartbeat;

import java.time.Duration;
import java.util.random.RandomGenerator;
import keyfleet.keyring.Timings;

/// How long to wait between rounds. Each process waits a little longer or shorter, so that a fleet
/// that was started at once does not beat at once.
public final class HeartbeatDelayPolicy {
  /// What the round before asks of the next.
  enum Urgency {
    /// All is well.
    REGULAR,
    /// The store did not answer: several more rounds fit into the lease.
    RETRY,
    /// The keystore changed, or may have, and others wait to see that this process knows.
    SOON
  }

  /// A tenth of the beat, either way.
  private static final double JITTER = 0.1;

  private static final int RETRIES_PER_HEARTBEAT = 4;

  /// One second of thirty, over which a fleet spreads after a change.
  private static final int SOON_DIVISOR = 30;

  private final RandomGenerator random;

  public HeartbeatDelayPolicy(RandomGenerator random) {
    this.random = random;
  }

  Duration delay(Timings timings, Urgency urgency) {
    Duration beat = timings.heartbeat();
    return switch (urgency) {
      case REGULAR -> jittered(beat);
      case RETRY -> jittered(beat.dividedBy(RETRIES_PER_HEARTBEAT));
      case SOON -> times(beat.dividedBy(SOON_DIVISOR), random.nextDouble());
    };
  }

  private Duration jittered(Duration duration) {
    return times(duration, 1 - JITTER + 2 * JITTER * random.nextDouble());
  }

  private static Duration times(Duration duration, double factor) {
    return Duration.ofNanos(Math.round(duration.toNanos() * factor));
  }
}
