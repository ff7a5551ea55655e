package keyfleet.wire;

import keyfleet.rollout.DesiredState;
import keyfleet.rollout.Goal;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// The document under a node's `desired` key: the task of the node and how far it may go.
public final class DesiredStateDocument {
  private DesiredStateDocument() {}

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
                DocumentFields.claim(document.document("lead")),
                document.number("decision")));
  }
}
