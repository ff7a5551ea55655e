package keyfleet.rollout;

import java.time.Duration;
import java.util.List;

/// The durations of a rollout. Each wait of a driver counts on its own clock, and counts anew in
/// full when another driver takes over.
///
/// @param confirmWithin how long a node runs the release without a confirm before it goes back
/// @param laneWait how long a rollout waits, after its last batch, for nodes that were left behind
/// @param prepareWithin how long a node that beats may take to stage
/// @param answerWithin how long a node that beats may take beyond its own deadline
/// @param healthWait how long at a stretch the release may be unready on a node
/// @param stale how long a silent driver is left alone
/// @param scan how often others look for silent drivers
public record Times(
    Duration soak,
    Duration confirmWithin,
    Duration batchPause,
    Duration laneWait,
    Duration prepareWithin,
    Duration answerWithin,
    Duration healthWait,
    Duration stale,
    Duration scan) {
  public static final Duration USUAL_HEALTH_WAIT = Duration.ofSeconds(30);

  private static final Duration SHORTEST_CONFIRM = Duration.ofMinutes(5);
  private static final Duration MARGIN = Duration.ofSeconds(60);

  public Times {
    List<Duration> all =
        List.of(soak, batchPause, laneWait, prepareWithin, answerWithin, healthWait, stale, scan);
    if (all.stream().anyMatch(Duration::isNegative)) {
      throw new IllegalArgumentException("no duration of a rollout is negative: " + all);
    }
    if (prepareWithin.isZero() || answerWithin.isZero() || healthWait.isZero() || stale.isZero()) {
      throw new IllegalArgumentException(
          "a node needs time to answer, a release to become ready, and a driver to beat: "
              + "%s, %s, %s, %s".formatted(prepareWithin, answerWithin, healthWait, stale));
    }
    Duration shortest = confirmWithin(soak, healthWait, stale.plus(scan));
    if (confirmWithin.compareTo(shortest) < 0) {
      throw new IllegalArgumentException(
          "a confirm deadline of %s leaves no time for a failover; at least %s"
              .formatted(confirmWithin, shortest));
    }
  }

  public static Times usual(Duration soak, Duration batchPause) {
    Duration minute = Duration.ofMinutes(1);
    Duration healthWait = USUAL_HEALTH_WAIT;
    return new Times(
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

  /// R7: a node must outlast two failovers, each of which takes `adoption` at worst, or a failover
  /// alone would roll a healthy batch back.
  public static Duration confirmWithin(Duration soak, Duration healthWait, Duration adoption) {
    Duration patient = healthWait.plus(soak).plus(adoption.multipliedBy(2)).plus(MARGIN);
    return longer(soak.multipliedBy(3), longer(SHORTEST_CONFIRM, patient));
  }

  private static Duration longer(Duration a, Duration b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  /// When a node that has been told to run the release has surely ended, one way or the other.
  Duration settleWithin() {
    return confirmWithin.plus(answerWithin);
  }
}
