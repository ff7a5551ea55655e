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

/// The stored form of an entry in a watchdog's journal. It has the time that was left until the
/// confirm deadline, because a reading of the elapsed clock is useless after a reboot. The progress
/// of a soak is not stored.
public final class JournalEntryDocument {
  private JournalEntryDocument() {}

  public static Value toValue(JournalEntry entry) {
    Document.Builder builder =
        Document.builder()
            .text("boot", entry.writtenAt().boot())
            .number("elapsed", entry.writtenAt().elapsed())
            .text("wall", entry.writtenAt().wall().toString())
            .document("ground", toDocument(entry.node().baseline()));
    if (entry.node() instanceof Tasked tasked) {
      builder.document("duty", toDocument(tasked.nodeTask()));
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
      case Soaking s -> writeSoakHealth(builder.text("state", "soaking"), s.soakHealth());
      case Soaked s -> writeSoakHealth(builder.text("state", "soaked"), s.soakHealth());
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

  private static void writeSoakHealth(Document.Builder builder, SoakHealth soakHealth) {
    builder.number("relapses", soakHealth.relapses()).number("restarts", soakHealth.restarts());
  }

  private static Document toDocument(NodeBaseline baseline) {
    return Document.builder()
        .text("node", baseline.node().value())
        .text("component", baseline.component().value())
        .text("confirmed", baseline.confirmed().hex())
        .text("previous", baseline.previous().hex())
        .documents(
            "past", baseline.history().stream().map(JournalEntryDocument::toDocument).toList())
        .build();
  }

  private static Document toDocument(TaskHistoryEntry entry) {
    return Document.builder()
        .document("task", DocumentFields.toDocument(entry.task()))
        .text("before", entry.releaseBefore().hex())
        .document("lead", DocumentFields.toDocument(entry.claim()))
        .text("course", DocumentFields.toText(entry.direction()))
        .text("phase", DocumentFields.toText(entry.phase()))
        .text("setback", DocumentFields.toText(entry.rollbackReason()))
        .build();
  }

  private static Document toDocument(NodeTask task) {
    return Document.builder()
        .document("task", DocumentFields.toDocument(task.task()))
        .text("before", task.releaseBefore().hex())
        .document("lead", DocumentFields.toDocument(task.claim()))
        .text("course", DocumentFields.toText(task.direction()))
        .build();
  }

  public static JournalEntry parse(Value value) {
    return Document.parse(value).as(JournalEntryDocument::entry);
  }

  private static JournalEntry entry(Document document) {
    ClockReading writtenAt =
        new ClockReading(
            document.text("boot"),
            document.number("elapsed"),
            DocumentFields.instant(document, "wall"));
    return new JournalEntry(node(document, writtenAt), writtenAt);
  }

  private static Node node(Document document, ClockReading writtenAt) {
    NodeBaseline baseline = baseline(document.document("ground"));
    if (document.text("state").equals("idle")) {
      return new Idle(baseline);
    }
    NodeTask task = nodeTask(document.document("duty"), baseline);
    return switch (document.text("state")) {
      case "preparing" -> new Preparing(task);
      case "staged" -> new Staged(task);
      case "applying" -> new Applying(task, Check.OPEN, deadline(document, writtenAt));
      case "soaking" ->
          new Soaking(task, soakHealth(document, writtenAt), deadline(document, writtenAt));
      case "soaked" ->
          new Soaked(task, soakHealth(document, writtenAt), deadline(document, writtenAt));
      case "confirmed" -> new Confirmed(task);
      case "reverted" -> new Reverted(task);
      case "rolled_back" ->
          new RolledBack(task, rollbackReason(document), document.texts("reasons"));
      case "rolling_back" ->
          new RollingBack(
              task,
              DocumentFields.parseConstant(Undo.class, document.text("undo")),
              rollbackReason(document),
              document.texts("reasons"));
      default -> throw new IllegalArgumentException("unknown state: " + document.text("state"));
    };
  }

  private static long deadline(Document document, ClockReading writtenAt) {
    Duration remaining = DocumentFields.duration(document, "remaining");
    return writtenAt.elapsed() + remaining.toNanos();
  }

  private static SoakHealth soakHealth(Document document, ClockReading writtenAt) {
    return new SoakHealth(
        State.NOT_READY,
        StoreLink.CUT_OFF,
        writtenAt.elapsed(),
        0,
        0,
        DocumentFields.count(document, "relapses"),
        DocumentFields.count(document, "restarts"));
  }

  private static RollbackReason rollbackReason(Document document) {
    return DocumentFields.parseConstant(RollbackReason.class, document.text("setback"));
  }

  private static NodeBaseline baseline(Document document) {
    List<TaskHistoryEntry> history =
        document.documents("past").stream().map(JournalEntryDocument::historyEntry).toList();
    return new NodeBaseline(
        new NodeId(document.text("node")),
        new Component(document.text("component")),
        new Sha256(document.text("confirmed")),
        new Sha256(document.text("previous")),
        history);
  }

  private static TaskHistoryEntry historyEntry(Document document) {
    return new TaskHistoryEntry(
        DocumentFields.task(document.document("task")),
        new Sha256(document.text("before")),
        DocumentFields.claim(document.document("lead")),
        DocumentFields.parseConstant(Direction.class, document.text("course")),
        DocumentFields.parseConstant(NodePhase.class, document.text("phase")),
        rollbackReason(document));
  }

  private static NodeTask nodeTask(Document document, NodeBaseline baseline) {
    return new NodeTask(
        baseline,
        DocumentFields.task(document.document("task")),
        new Sha256(document.text("before")),
        DocumentFields.claim(document.document("lead")),
        DocumentFields.parseConstant(Direction.class, document.text("course")));
  }
}
