package keyfleet.watchdog;

import keyfleet.rollout.NodeStatus.Health;
import keyfleet.rollout.Sighting;

/// A look at the software that runs.
public interface Probe {
  /// It never waits for long: no answer is not ready.
  Sighting look();

  /// Whether the software keeps failing although it is restarted, whichever release it is.
  Health health();
}
