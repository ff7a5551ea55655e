package keyfleet.wire;

import keyfleet.rollout.DriverClaim;
import keyfleet.rollout.RolloutId;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// The rollout that a node belongs to, and the claim of the driver that wrote it (R4). Each driver
/// writes the key again under its own claim. So a rollout that read this one as ended, just before
/// an operator rolled it back, finds the key changed.
public record NodeOwner(RolloutId rollout, DriverClaim claim) {
  public Value toValue() {
    return Document.builder()
        .text("rollout", rollout.value())
        .document("lead", DocumentFields.toDocument(claim))
        .build()
        .toValue();
  }

  public static NodeOwner parse(Value value) {
    return Document.parse(value)
        .as(document ->
            new NodeOwner(
                new RolloutId(document.text("rollout")),
                DocumentFields.claim(document.document("lead"))));
  }
}
