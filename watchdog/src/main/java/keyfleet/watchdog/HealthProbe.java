package keyfleet.watchdog;

import keyfleet.rollout.node.ProbeResult;
import keyfleet.rollout.plan.NodeStatus.Health;

/// Checks the supervised software.
public interface HealthProbe {
  /// Returns within a short time: no answer counts as not ready.
  ProbeResult probe();

  /// Whether the software keeps failing after restarts, under any release.
  Health health();
}
