package keyfleet.keyring;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// The heartbeats of a keyring's processes as they stood at one moment of store time.
public record Roster(List<Heartbeat> heartbeats, Instant storeTime) {
  public Roster {
    heartbeats = heartbeats.stream().sorted(Comparator.comparing(Heartbeat::instance)).toList();
  }

  /// With more beats that were read together with these.
  Roster plus(List<Heartbeat> more) {
    return new Roster(Stream.concat(heartbeats.stream(), more.stream()).toList(), storeTime);
  }

  /// Those heard of within `window`. A beat from the future counts: store time may step.
  public List<Heartbeat> fresh(Duration window) {
    Instant since = storeTime.minus(window);
    return heartbeats.stream().filter(heartbeat -> !heartbeat.writtenAt().isBefore(since)).toList();
  }

  /// The rest: restarting, cut off, asleep or dead. Nobody can know which.
  public List<Heartbeat> stale(Duration window) {
    Instant since = storeTime.minus(window);
    return heartbeats.stream().filter(heartbeat -> heartbeat.writtenAt().isBefore(since)).toList();
  }
}
