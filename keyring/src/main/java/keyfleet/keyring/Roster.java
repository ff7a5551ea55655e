package keyfleet.keyring;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/// The heartbeats of a keyring's processes as they stood at one moment of store time.
public record Roster(List<Heartbeat> beats, Instant storeTime) {
  public Roster {
    beats = beats.stream().sorted(Comparator.comparing(Heartbeat::instance)).toList();
  }

  /// With more beats that were read together with these.
  Roster with(List<Heartbeat> more) {
    return new Roster(Stream.concat(beats.stream(), more.stream()).toList(), storeTime);
  }

  /// Those heard of within `window`. A beat from the future counts: store time may step.
  public List<Heartbeat> fresh(Duration window) {
    Instant since = storeTime.minus(window);
    return beats.stream().filter(beat -> !beat.at().isBefore(since)).toList();
  }

  /// The rest: restarting, cut off, asleep or dead. Nobody can know which.
  public List<Heartbeat> stale(Duration window) {
    Instant since = storeTime.minus(window);
    return beats.stream().filter(beat -> beat.at().isBefore(since)).toList();
  }
}
