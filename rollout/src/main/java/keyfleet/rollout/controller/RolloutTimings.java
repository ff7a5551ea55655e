package keyfleet.rollout.controller;

import java.time.Duration;
import java.util.List;

/// The durations of a rollout. A driver measures each wait on its own clock, and each wait starts
/// again in full when another driver takes over.
///
/// @param confirmWithin how long a node runs the release without a confirm before it rolls back
/// @param lateNodeWait how long a rollout waits for late nodes after its last batch
/// @param prepareWithin how long a present node may take to stage
/// @param answerWithin how long a present node may take beyond its own deadline
/// @param healthWait how long at a stretch the release may be unready on a node
/// @param staleAfter how long a driver may be silent before another takes over
/// @param scanInterval how often other drivers look for silent ones
public record RolloutTimings(
    Duration soak,
    Duration confirmWithin,
    Duration batchPause,
    Duration lateNodeWait,
    Duration prepareWithin,
    Duration answerWithin,
    Duration healthWait,
    Duration staleAfter,
    Duration scanInterval) {
  public static final Duration DEFAULT_HEALTH_WAIT = Duration.ofSeconds(30);

  private static final Duration SHORTEST_CONFIRM = Duration.ofMinutes(5);
  private static final Duration MARGIN = Duration.ofSeconds(60);

  public RolloutTimings {
    List<Duration> all =
        List.of(
            soak,
            batchPause,
            lateNodeWait,
            prepareWithin,
            answerWithin,
            healthWait,
            staleAfter,
            scanInterval);
    if (all.stream().anyMatch(Duration::isNegative)) {
      throw new IllegalArgumentException("durations of a rollout must not be negative: " + all);
    }
    if (prepareWithin.isZero()
        || answerWithin.isZero()
        || healthWait.isZero()
        || staleAfter.isZero()) {
      throw new IllegalArgumentException(
          "prepare, answer, health and stale waits must be positive: "
              + "%s, %s, %s, %s".formatted(prepareWithin, answerWithin, healthWait, staleAfter));
    }
    Duration shortest = confirmWithin(soak, healthWait, staleAfter.plus(scanInterval));
    if (confirmWithin.compareTo(shortest) < 0) {
      throw new IllegalArgumentException(
          "a confirm deadline of %s leaves no time for two failovers; use at least %s"
              .formatted(confirmWithin, shortest));
    }
  }

  public static RolloutTimings defaults(Duration soak, Duration batchPause) {
    Duration minute = Duration.ofMinutes(1);
    Duration healthWait = DEFAULT_HEALTH_WAIT;
    return new RolloutTimings(
        soak,
        confirmWithin(soak, healthWait, minute.plus(minute)),
        batchPause,
        Duration.ofMinutes(10),
        Duration.ofMinutes(10),
        minute,
        healthWait,
        minute,
        minute);
  }

  /// R7: a node must outlast two failovers, each of which takes at most `adoption`, or a failover
  /// alone would roll back a healthy batch.
  public static Duration confirmWithin(Duration soak, Duration healthWait, Duration adoption) {
    Duration needed = healthWait.plus(soak).plus(adoption.multipliedBy(2)).plus(MARGIN);
    return longest(soak.multipliedBy(3), longest(SHORTEST_CONFIRM, needed));
  }

  private static Duration longest(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  /// When a node that was ordered to run the release has certainly finished, with either result.
  Duration settleWithin() {
    return confirmWithin.plus(answerWithin);
  }
}
