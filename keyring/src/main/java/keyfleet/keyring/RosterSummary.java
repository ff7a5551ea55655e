package keyfleet.keyring;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// What the gate keeps of one part of a large roster. Of ready processes it keeps little more than
/// their number: there may be a hundred thousand, and one heartbeat is about twenty objects.
///
/// @param oldestReady the time of the oldest heartbeat of a ready process
/// @param newestReady the time of the newest one
/// @param readyNamed the ready processes that the gate looks for by name
/// @param unready the heartbeats of processes that were not ready or not fresh
public record RosterSummary(
    int readyCount,
    Instant oldestReady,
    Instant newestReady,
    Set<String> readyNamed,
    List<Heartbeat> unready) {
  static final RosterSummary EMPTY =
      new RosterSummary(0, Instant.MAX, Instant.MIN, Set.of(), List.of());

  RosterSummary plus(RosterSummary other) {
    Set<String> names = new HashSet<>(readyNamed);
    names.addAll(other.readyNamed);
    return new RosterSummary(
        readyCount + other.readyCount,
        earlier(oldestReady, other.oldestReady),
        later(newestReady, other.newestReady),
        names,
        Stream.concat(unready.stream(), other.unready.stream()).toList());
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  static final class Builder {
    private final Set<String> names;
    private final Set<String> readyNamed = new HashSet<>();
    private final List<Heartbeat> unready = new ArrayList<>();
    private int readyCount;
    private Instant oldestReady = Instant.MAX;
    private Instant newestReady = Instant.MIN;

    /// @param names the instances that the gate looks for by name
    Builder(Set<String> names) {
      this.names = names;
    }

    void add(Heartbeat heartbeat, boolean isReady) {
      if (!isReady) {
        unready.add(heartbeat);
        return;
      }
      readyCount++;
      oldestReady = earlier(oldestReady, heartbeat.writtenAt());
      newestReady = later(newestReady, heartbeat.writtenAt());
      if (names.contains(heartbeat.instance())) {
        readyNamed.add(heartbeat.instance());
      }
    }

    RosterSummary build() {
      return new RosterSummary(readyCount, oldestReady, newestReady, readyNamed, unready);
    }
  }
}
