package keyfleet.control.rollout;

import java.util.Optional;
import keyfleet.control.Failpoints;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.controller.Rollout;
import keyfleet.store.Kv;

/// Rollouts as they are stored, for whoever only looks.
public final class RolloutReader {
  private final RolloutStore shelf;

  public RolloutReader(Kv kv, Failpoints failpoints) {
    this.shelf = new RolloutStore(kv, failpoints, () -> "");
  }

  public Optional<Rollout> find(RolloutId id) {
    return shelf.read(id).map(RolloutStore.StoredRollout::rollout);
  }
}
