package keyfleet.watchdog;

import java.util.HashMap;
import java.util.Map;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.node.ProbeResult;
import keyfleet.rollout.node.ProbeResult.State;
import keyfleet.rollout.plan.NodeStatus.Health;

/// Software that is ready, unless a test sets another result for its release.
public final class FakeHealthProbe implements HealthProbe {
  private final ReleaseSlots slots;
  private final Map<Sha256, ProbeResult> results = new HashMap<>();

  public FakeHealthProbe(ReleaseSlots slots) {
    this.slots = slots;
  }

  /// From now on a probe returns this result while the release runs.
  public void setResult(Sha256 release, ProbeResult result) {
    results.put(release, result);
  }

  @Override
  public ProbeResult probe() {
    return results.getOrDefault(slots.running(), new ProbeResult(State.READY, 0));
  }

  @Override
  public Health health() {
    return Health.HEALTHY;
  }
}
