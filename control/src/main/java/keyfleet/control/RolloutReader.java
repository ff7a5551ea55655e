package keyfleet.control;

import java.util.Optional;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.controller.Rollout;
import keyfleet.store.Kv;

/// Rollouts as they are stored, for whoever only looks.
public final class RolloutReader {
  private final RolloutShelf shelf;

  public RolloutReader(Kv kv, Failpoints failpoints) {
    this.shelf = new RolloutShelf(kv, failpoints, () -> "");
  }

  public Optional<Rollout> find(RolloutId id) {
    return shelf.read(id).map(RolloutShelf.Stored::rollout);
  }
}
