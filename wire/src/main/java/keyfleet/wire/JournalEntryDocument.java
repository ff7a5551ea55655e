package keyfleet.wire;

import java.time.Duration;
import java.util.List;
import keyfleet.rollout.Component;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePhase;
import keyfleet.rollout.RollbackReason;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.node.ClockReading;
import keyfleet.rollout.node.JournalEntry;
import keyfleet.rollout.node.Node;
import keyfleet.rollout.node.Node.Applying;
import keyfleet.rollout.node.Node.Check;
import keyfleet.rollout.node.Node.Confirmed;
import keyfleet.rollout.node.Node.Idle;
import keyfleet.rollout.node.Node.Preparing;
import keyfleet.rollout.node.Node.Reverted;
import keyfleet.rollout.node.Node.RolledBack;
import keyfleet.rollout.node.Node.RollingBack;
import keyfleet.rollout.node.Node.Soaked;
import keyfleet.rollout.node.Node.Soaking;
import keyfleet.rollout.node.Node.Staged;
import keyfleet.rollout.node.Node.Tasked;
import keyfleet.rollout.node.Node.Undo;
import keyfleet.rollout.node.NodeBaseline;
import keyfleet.rollout.node.NodeTask;
import keyfleet.rollout.node.NodeTask.Direction;
import keyfleet.rollout.node.ProbeResult.State;
import keyfleet.rollout.node.SoakHealth;
import keyfleet.rollout.node.SoakHealth.StoreLink;
import keyfleet.rollout.node.TaskHistoryEntry;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// A page of a watchdog's journal. It holds what was left of the confirm deadline, never a reading
/// of the elapsed clock alone; a soak under way is not in it.
public final class JournalEntryDocument {
  private JournalEntryDocument() {}

  public static Value toValue(JournalEntry entry) {
    Document.Builder builder =
        Document.builder()
            .text("boot", entry.writtenAt().boot())
            .number("elapsed", entry.writtenAt().elapsed())
            .text("wall", entry.writtenAt().wall().toString())
            .document("ground", toValue(entry.node().baseline()));
    if (entry.node() instanceof Tasked tasked) {
      builder.document("duty", toValue(tasked.nodeTask()));
    }
    entry.remainingDeadline().ifPresent(it -> builder.text("remaining", it.toString()));
    writeState(builder, entry.node());
    return builder.build().toValue();
  }

  private static void writeState(Document.Builder builder, Node node) {
    switch (node) {
      case Idle _ -> builder.text("state", "idle");
      case Preparing _ -> builder.text("state", "preparing");
      case Staged _ -> builder.text("state", "staged");
      case Applying _ -> builder.text("state", "applying");
      case Soaking s -> vitals(builder.text("state", "soaking"), s.soakHealth());
      case Soaked s -> vitals(builder.text("state", "soaked"), s.soakHealth());
      case Confirmed _ -> builder.text("state", "confirmed");
      case Reverted _ -> builder.text("state", "reverted");
      case RolledBack r ->
          builder
              .text("state", "rolled_back")
              .text("setback", DocumentFields.toText(r.rollbackReason()))
              .texts("reasons", r.reasons());
      case RollingBack r ->
          builder
              .text("state", "rolling_back")
              .text("undo", DocumentFields.toText(r.undo()))
              .text("setback", DocumentFields.toText(r.rollbackReason()))
              .texts("reasons", r.reasons());
    }
  }

  private static void vitals(Document.Builder builder, SoakHealth soakHealth) {
    builder.number("relapses", soakHealth.relapses()).number("restarts", soakHealth.restarts());
  }

  private static Document toValue(NodeBaseline nodeBaseline) {
    return Document.builder()
        .text("node", nodeBaseline.node().value())
        .text("component", nodeBaseline.component().value())
        .text("confirmed", nodeBaseline.confirmed().hex())
        .text("previous", nodeBaseline.previous().hex())
        .documents(
            "past", nodeBaseline.history().stream().map(JournalEntryDocument::toValue).toList())
        .build();
  }

  private static Document toValue(TaskHistoryEntry taskHistoryEntry) {
    return Document.builder()
        .document("task", DocumentFields.toDocument(taskHistoryEntry.task()))
        .text("before", taskHistoryEntry.releaseBefore().hex())
        .document("lead", DocumentFields.toDocument(taskHistoryEntry.claim()))
        .text("course", DocumentFields.toText(taskHistoryEntry.direction()))
        .text("phase", DocumentFields.toText(taskHistoryEntry.phase()))
        .text("setback", DocumentFields.toText(taskHistoryEntry.rollbackReason()))
        .build();
  }

  private static Document toValue(NodeTask nodeTask) {
    return Document.builder()
        .document("task", DocumentFields.toDocument(nodeTask.task()))
        .text("before", nodeTask.releaseBefore().hex())
        .document("lead", DocumentFields.toDocument(nodeTask.claim()))
        .text("course", DocumentFields.toText(nodeTask.direction()))
        .build();
  }

  public static JournalEntry parse(Value value) {
    return Document.parse(value).as(JournalEntryDocument::entry);
  }

  private static JournalEntry entry(Document document) {
    ClockReading written =
        new ClockReading(
            document.text("boot"),
            document.number("elapsed"),
            DocumentFields.instant(document, "wall"));
    return new JournalEntry(node(document, written), written);
  }

  private static Node node(Document document, ClockReading written) {
    NodeBaseline nodeBaseline = ground(document.document("ground"));
    if (document.text("state").equals("idle")) {
      return new Idle(nodeBaseline);
    }
    NodeTask nodeTask = duty(document.document("duty"), nodeBaseline);
    return switch (document.text("state")) {
      case "preparing" -> new Preparing(nodeTask);
      case "staged" -> new Staged(nodeTask);
      case "applying" -> new Applying(nodeTask, Check.OPEN, deadline(document, written));
      case "soaking" ->
          new Soaking(nodeTask, vitals(document, written), deadline(document, written));
      case "soaked" -> new Soaked(nodeTask, vitals(document, written), deadline(document, written));
      case "confirmed" -> new Confirmed(nodeTask);
      case "reverted" -> new Reverted(nodeTask);
      case "rolled_back" -> new RolledBack(nodeTask, setback(document), document.texts("reasons"));
      case "rolling_back" ->
          new RollingBack(
              nodeTask,
              DocumentFields.parseConstant(Undo.class, document.text("undo")),
              setback(document),
              document.texts("reasons"));
      default -> throw new IllegalArgumentException("unknown: " + document.text("state"));
    };
  }

  private static long deadline(Document document, ClockReading written) {
    Duration remaining = DocumentFields.duration(document, "remaining");
    return written.elapsed() + remaining.toNanos();
  }

  private static SoakHealth vitals(Document document, ClockReading written) {
    return new SoakHealth(
        State.NOT_READY,
        StoreLink.CUT_OFF,
        written.elapsed(),
        0,
        0,
        DocumentFields.count(document, "relapses"),
        DocumentFields.count(document, "restarts"));
  }

  private static RollbackReason setback(Document document) {
    return DocumentFields.parseConstant(RollbackReason.class, document.text("setback"));
  }

  private static NodeBaseline ground(Document document) {
    List<TaskHistoryEntry> past =
        document.documents("past").stream().map(JournalEntryDocument::chapter).toList();
    return new NodeBaseline(
        new NodeId(document.text("node")),
        new Component(document.text("component")),
        new Sha256(document.text("confirmed")),
        new Sha256(document.text("previous")),
        past);
  }

  private static TaskHistoryEntry chapter(Document document) {
    return new TaskHistoryEntry(
        DocumentFields.task(document.document("task")),
        new Sha256(document.text("before")),
        DocumentFields.lead(document.document("lead")),
        DocumentFields.parseConstant(Direction.class, document.text("course")),
        DocumentFields.parseConstant(NodePhase.class, document.text("phase")),
        setback(document));
  }

  private static NodeTask duty(Document document, NodeBaseline nodeBaseline) {
    return new NodeTask(
        nodeBaseline,
        DocumentFields.task(document.document("task")),
        new Sha256(document.text("before")),
        DocumentFields.lead(document.document("lead")),
        DocumentFields.parseConstant(Direction.class, document.text("course")));
  }
}
