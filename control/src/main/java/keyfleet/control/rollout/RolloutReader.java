package keyfleet.control.rollout;

import java.util.Optional;
import keyfleet.control.Failpoints;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.controller.Rollout;
import keyfleet.store.Kv;

/// Reads stored rollouts, for processes that do not change them.
public final class RolloutReader {
  private final RolloutStore store;

  public RolloutReader(Kv kv, Failpoints failpoints) {
    this.store = new RolloutStore(kv, failpoints, () -> "");
  }

  public Optional<Rollout> find(RolloutId id) {
    return store.read(id).map(RolloutStore.StoredRollout::rollout);
  }
}
