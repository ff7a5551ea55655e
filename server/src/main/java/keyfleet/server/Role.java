package keyfleet.server;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/// A task that a process does for its fleet.
public enum Role {
  /// Drives rotations, and adopts rotations whose driver is silent.
  WORKER,
  /// Counts envelopes and verifies the audit chain, for the metrics.
  SCHEDULER;

  /// As the roster shows it: `worker,scheduler`.
  static String toText(Set<Role> roles) {
    return new TreeSet<>(roles)
        .stream().map(it -> it.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(","));
  }
}
