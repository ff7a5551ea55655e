package keyfleet.watchdog;

import keyfleet.rollout.node.ProbeResult;
import keyfleet.rollout.plan.NodeStatus.Health;

/// Checks the software that runs.
public interface HealthProbe {
  /// It never waits for long: no answer counts as not ready.
  ProbeResult probe();

  /// Whether the software keeps failing although it is restarted, whichever release runs.
  Health health();
}
