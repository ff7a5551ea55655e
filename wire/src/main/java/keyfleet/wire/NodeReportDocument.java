package keyfleet.wire;

import java.util.List;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.NodeReport;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.Sha256;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// The document that a node writes under its key in [RolloutKeys#REPORTS]: how far its task is.
public final class NodeReportDocument {
  private NodeReportDocument() {}

  public static Value toValue(NodeReport report) {
    return Document.builder()
        .text("node", report.node().value())
        .document("task", DocumentFields.toDocument(report.task()))
        .text("phase", DocumentFields.toText(report.phase()))
        .text("setback", DocumentFields.toText(report.rollbackReason()))
        .document("seen", DocumentFields.toDocument(report.claim()))
        .text("running", report.running().hex())
        .texts("reasons", report.reasons())
        .build()
        .toValue();
  }

  public static NodeReport parse(Value value) {
    return Document.parse(value)
        .as(document ->
            new NodeReport(
                new NodeId(document.text("node")),
                DocumentFields.task(document.document("task")),
                DocumentFields.parseConstant(NodePhase.class, document.text("phase")),
                DocumentFields.parseConstant(RollbackReason.class, document.text("setback")),
                DocumentFields.claim(document.document("seen")),
                new Sha256(document.text("running")),
                document.has("reasons") ? document.texts("reasons") : List.of()));
  }
}
