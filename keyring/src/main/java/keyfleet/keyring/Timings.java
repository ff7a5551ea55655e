package keyfleet.keyring;

import java.time.Duration;

/// The durations of the protocol. They are stored in the keystore, so that the whole fleet has one
/// set.
///
/// Their order is a safety rule. A process is fresh for longer than two heartbeats, and it leaves
/// the roster (`expire`) only after it has stopped sealing (`lease`). In between it may seal under
/// the previous active version without being seen by the gate; the fence covers that.
public record Timings(
    Duration heartbeat, Duration fresh, Duration lease, Duration expire, Duration adopt) {
  /// Stores count lifetimes in seconds. Declared above the default, which must satisfy it too.
  private static final Duration SHORTEST_EXPIRE = Duration.ofSeconds(1);

  public static final Timings DEFAULT =
      new Timings(
          Duration.ofSeconds(30),
          Duration.ofSeconds(60),
          Duration.ofSeconds(90),
          Duration.ofSeconds(120),
          Duration.ofSeconds(60));

  public Timings {
    Duration twoHeartbeats = heartbeat.plus(heartbeat);
    boolean inOrder =
        heartbeat.isPositive()
            && twoHeartbeats.compareTo(fresh) <= 0
            && fresh.compareTo(lease) < 0
            && lease.compareTo(expire) < 0
            && SHORTEST_EXPIRE.compareTo(expire) <= 0
            && twoHeartbeats.compareTo(adopt) <= 0;
    if (!inOrder) {
      throw new IllegalArgumentException(
          "timings must keep 2 x heartbeat <= fresh < lease < expire, 2 x heartbeat <= adopt and 1s"
              + " <= expire: "
              + "heartbeat=%s fresh=%s lease=%s expire=%s adopt=%s"
                  .formatted(heartbeat, fresh, lease, expire, adopt));
    }
  }
}
