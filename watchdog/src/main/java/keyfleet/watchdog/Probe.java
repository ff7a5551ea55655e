package keyfleet.watchdog;

import keyfleet.rollout.NodeStatus.Health;
import keyfleet.rollout.Sighting;

/// Checks the software that runs.
public interface Probe {
  /// It never waits for long: no answer counts as not ready.
  Sighting look();

  /// Whether the software keeps failing although it is restarted, whichever release runs.
  Health health();
}
