package keyfleet.control;

import keyfleet.rollout.DesiredState;
import keyfleet.rollout.Goal;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// What stands under a node's `desired` key.
public final class DesiredDocument {
  private DesiredDocument() {}

  public static Value of(DesiredState desiredState) {
    return Document.builder()
        .document("task", TaskDocument.of(desiredState.task()))
        .text("goal", TaskDocument.word(desiredState.goal()))
        .document("lead", TaskDocument.of(desiredState.claim()))
        .number("decision", desiredState.decision())
        .build()
        .toValue();
  }

  public static DesiredState read(Value value) {
    return Document.parse(value)
        .as(document ->
            new DesiredState(
                TaskDocument.task(document.document("task")),
                TaskDocument.constant(Goal.class, document.text("goal")),
                TaskDocument.lead(document.document("lead")),
                document.number("decision")));
  }
}
