package keyfleet.wire;

import keyfleet.rollout.DesiredState;
import keyfleet.rollout.Goal;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// What stands under a node's `desired` key.
public final class DesiredDocument {
  private DesiredDocument() {}

  public static Value toValue(DesiredState desiredState) {
    return Document.builder()
        .document("task", DocumentFields.toDocument(desiredState.task()))
        .text("goal", DocumentFields.toText(desiredState.goal()))
        .document("lead", DocumentFields.toDocument(desiredState.claim()))
        .number("decision", desiredState.decision())
        .build()
        .toValue();
  }

  public static DesiredState parse(Value value) {
    return Document.parse(value)
        .as(document ->
            new DesiredState(
                DocumentFields.task(document.document("task")),
                DocumentFields.parseConstant(Goal.class, document.text("goal")),
                DocumentFields.lead(document.document("lead")),
                document.number("decision")));
  }
}
