package keyfleet.keyring;

import java.time.Duration;

/// How long things take, one set for the whole fleet: it lives in the keystore.
///
/// The order is a safety rule. A process is fresh for longer than two beats, and it leaves the
/// roster (`expire`) only after it has stopped sealing (`lease`). In between it may seal unseen by
/// the gate, under what was active then; the fence looks after that.
public record Timings(
    Duration heartbeat, Duration fresh, Duration lease, Duration expire, Duration adopt) {
  /// Stores count lifetimes in seconds. Above the default, which is held to it.
  private static final Duration SHORTEST_EXPIRE = Duration.ofSeconds(1);

  public static final Timings DEFAULT =
      new Timings(
          Duration.ofSeconds(30),
          Duration.ofSeconds(60),
          Duration.ofSeconds(90),
          Duration.ofSeconds(120),
          Duration.ofSeconds(60));

  public Timings {
    Duration twoBeats = heartbeat.plus(heartbeat);
    boolean inOrder =
        heartbeat.isPositive()
            && twoBeats.compareTo(fresh) <= 0
            && fresh.compareTo(lease) < 0
            && lease.compareTo(expire) < 0
            && SHORTEST_EXPIRE.compareTo(expire) <= 0
            && twoBeats.compareTo(adopt) <= 0;
    if (!inOrder) {
      throw new IllegalArgumentException(
          "timings must keep 2 x heartbeat <= fresh < lease < expire, 2 x heartbeat <= adopt and 1s"
              + " <= expire: "
              + "heartbeat=%s fresh=%s lease=%s expire=%s adopt=%s"
                  .formatted(heartbeat, fresh, lease, expire, adopt));
    }
  }
}
