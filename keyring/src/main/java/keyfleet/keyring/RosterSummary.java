package keyfleet.keyring;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import keyfleet.keyring.FleetReadiness.ExpectedProcesses;
import keyfleet.keyring.FleetReadiness.Named;

/// What the gate keeps of a part of a large roster. Of the ready ones it is little more than how
/// many they are: there may be a hundred thousand, and one heartbeat is a score of objects.
///
/// @param oldest the earliest beat of a ready one
/// @param named the names of ready ones, as far as they are expected by name
/// @param others whoever was not ready, or not fresh
public record RosterSummary(int ready, Instant oldest, Set<String> named, List<Heartbeat> others) {
  static final RosterSummary NOBODY = new RosterSummary(0, Instant.MAX, Set.of(), List.of());

  RosterSummary with(RosterSummary more) {
    Set<String> names = new HashSet<>(named);
    names.addAll(more.named);
    return new RosterSummary(
        ready + more.ready,
        oldest.isBefore(more.oldest) ? oldest : more.oldest,
        names,
        Stream.concat(others.stream(), more.others.stream()).toList());
  }

  static final class Builder {
    private final Set<String> expected;
    private final Set<String> named = new HashSet<>();
    private final List<Heartbeat> others = new ArrayList<>();
    private int ready;
    private Instant oldest = Instant.MAX;

    Builder(ExpectedProcesses expected) {
      this.expected = expected instanceof Named(var instances) ? instances : Set.of();
    }

    void add(Heartbeat beat, boolean isReady) {
      if (!isReady) {
        others.add(beat);
        return;
      }
      ready++;
      oldest = beat.at().isBefore(oldest) ? beat.at() : oldest;
      if (expected.contains(beat.instance())) {
        named.add(beat.instance());
      }
    }

    RosterSummary build() {
      return new RosterSummary(ready, oldest, named, others);
    }
  }
}
