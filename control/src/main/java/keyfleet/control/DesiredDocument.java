package keyfleet.control;

import keyfleet.rollout.DesiredState;
import keyfleet.rollout.Goal;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// What stands under a node's `desired` key.
public final class DesiredDocument {
  private DesiredDocument() {}

  public static Value of(DesiredState desired) {
    return Document.builder()
        .document("task", TaskDocument.of(desired.task()))
        .text("goal", TaskDocument.word(desired.goal()))
        .document("lead", TaskDocument.of(desired.lead()))
        .number("decision", desired.decision())
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
