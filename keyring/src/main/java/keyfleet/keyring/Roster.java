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

  /// The heartbeats written within `window`. A heartbeat from the future counts too, because store
  /// time may step back.
  public List<Heartbeat> fresh(Duration window) {
    Instant since = storeTime.minus(window);
    return heartbeats.stream().filter(heartbeat -> !heartbeat.writtenAt().isBefore(since)).toList();
  }

  /// All others. The store cannot tell whether such a process is restarting, cut off, suspended or
  /// dead.
  public List<Heartbeat> stale(Duration window) {
    Instant since = storeTime.minus(window);
    return heartbeats.stream().filter(heartbeat -> heartbeat.writtenAt().isBefore(since)).toList();
  }
}
