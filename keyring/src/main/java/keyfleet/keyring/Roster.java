package keyfleet.keyring;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// The heartbeats of the processes of a keyring at one moment of store time.
public record Roster(List<Heartbeat> heartbeats, Instant storeTime) {
  public Roster {
    heartbeats = heartbeats.stream().sorted(Comparator.comparing(Heartbeat::instance)).toList();
  }

  /// Adds heartbeats that were read together with these.
  Roster plus(List<Heartbeat> more) {
    return new Roster(Stream.concat(heartbeats.stream(), more.stream()).toList(), storeTime);
  }

  /// How far a heartbeat may be ahead of the store time that was read beside it.
  private static final Duration MAX_AHEAD = Duration.ofSeconds(5);

  /// The heartbeats written within `window`. One from the future does not count: store time has
  /// stepped back since, and the process may have died then.
  public List<Heartbeat> fresh(Duration window) {
    return heartbeats.stream().filter(it -> isFresh(it.writtenAt(), window)).toList();
  }

  /// The heartbeats that are in the future: store time has stepped back since.
  public List<Heartbeat> ahead() {
    return heartbeats.stream()
        .filter(it -> Duration.between(storeTime, it.writtenAt()).compareTo(MAX_AHEAD) > 0)
        .toList();
  }

  /// All others. The store cannot tell whether such a process is restarting, cut off, suspended or
  /// dead.
  public List<Heartbeat> stale(Duration window) {
    return heartbeats.stream().filter(it -> !isFresh(it.writtenAt(), window)).toList();
  }

  boolean isFresh(Instant writtenAt, Duration window) {
    Duration age = Duration.between(writtenAt, storeTime);
    return age.compareTo(window) <= 0 && age.compareTo(MAX_AHEAD.negated()) >= 0;
  }
}
