package keyfleet.wire;

import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.RolloutId;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// The rollout that a node belongs to, and the lead under which it was last said (R4). A driver
/// says it anew under its own lead: then a contender that took the rollout for ended, just before
/// it was ordered to roll back, finds the key changed.
public record NodeOwner(RolloutId rollout, DriverClaim driverClaim) {
  public Value toValue() {
    return Document.builder()
        .text("rollout", rollout.value())
        .document("lead", DocumentFields.toDocument(driverClaim))
        .build()
        .toValue();
  }

  public static NodeOwner parse(Value value) {
    return Document.parse(value)
        .as(document ->
            new NodeOwner(
                new RolloutId(document.text("rollout")),
                DocumentFields.lead(document.document("lead"))));
  }
}
