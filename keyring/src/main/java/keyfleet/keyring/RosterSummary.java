package keyfleet.keyring;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import keyfleet.keyring.ReadinessGate.ExpectedProcesses;
import keyfleet.keyring.ReadinessGate.Named;

/// What the gate keeps of one part of a large roster. Of ready processes it keeps little more than
/// their number: there may be a hundred thousand, and one heartbeat is about twenty objects.
///
/// @param oldestReady the time of the oldest heartbeat of a ready process
/// @param readyExpected the ready processes that are expected by name
/// @param unready the heartbeats of processes that were not ready or not fresh
public record RosterSummary(
    int readyCount, Instant oldestReady, Set<String> readyExpected, List<Heartbeat> unready) {
  static final RosterSummary EMPTY = new RosterSummary(0, Instant.MAX, Set.of(), List.of());

  RosterSummary plus(RosterSummary other) {
    Set<String> names = new HashSet<>(readyExpected);
    names.addAll(other.readyExpected);
    return new RosterSummary(
        readyCount + other.readyCount,
        oldestReady.isBefore(other.oldestReady) ? oldestReady : other.oldestReady,
        names,
        Stream.concat(unready.stream(), other.unready.stream()).toList());
  }

  static final class Builder {
    private final Set<String> expected;
    private final Set<String> readyExpected = new HashSet<>();
    private final List<Heartbeat> unready = new ArrayList<>();
    private int readyCount;
    private Instant oldestReady = Instant.MAX;

    Builder(ExpectedProcesses expectedProcesses) {
      this.expected = expectedProcesses instanceof Named(var instances) ? instances : Set.of();
    }

    void add(Heartbeat heartbeat, boolean isReady) {
      if (!isReady) {
        unready.add(heartbeat);
        return;
      }
      readyCount++;
      oldestReady =
          heartbeat.writtenAt().isBefore(oldestReady) ? heartbeat.writtenAt() : oldestReady;
      if (expected.contains(heartbeat.instance())) {
        readyExpected.add(heartbeat.instance());
      }
    }

    RosterSummary build() {
      return new RosterSummary(readyCount, oldestReady, readyExpected, unready);
    }
  }
}
