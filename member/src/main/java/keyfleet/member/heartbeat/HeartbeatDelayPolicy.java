package keyfleet.member.heartbeat;

import java.time.Duration;
import java.util.random.RandomGenerator;
import keyfleet.keyring.Timings;

/// Decides how long to wait between rounds. Each process waits a little longer or shorter, so that
/// processes that started together do not write their heartbeats together.
public final class HeartbeatDelayPolicy {
  /// How soon the next round must run.
  enum Urgency {
    /// Nothing is wrong.
    REGULAR,
    /// The store did not answer. Several more rounds fit into the lease.
    RETRY,
    /// The keystore changed or may have changed, and a gate waits until this process shows that it
    /// knows.
    SOON
  }

  /// A tenth of the delay, either way.
  private static final double JITTER = 0.1;

  private static final int RETRIES_PER_HEARTBEAT = 4;

  /// After a change, a fleet with a heartbeat of 30 s spreads its rounds over one second.
  private static final int SOON_DIVISOR = 30;

  private final RandomGenerator random;

  public HeartbeatDelayPolicy(RandomGenerator random) {
    this.random = random;
  }

  Duration delay(Timings timings, Urgency urgency) {
    Duration heartbeat = timings.heartbeat();
    return switch (urgency) {
      case REGULAR -> jitter(heartbeat);
      case RETRY -> jitter(heartbeat.dividedBy(RETRIES_PER_HEARTBEAT));
      case SOON -> multiply(heartbeat.dividedBy(SOON_DIVISOR), random.nextDouble());
    };
  }

  private Duration jitter(Duration duration) {
    return multiply(duration, 1 - JITTER + 2 * JITTER * random.nextDouble());
  }

  private static Duration multiply(Duration duration, double factor) {
    return Duration.ofNanos(Math.round(duration.toNanos() * factor));
  }
}
