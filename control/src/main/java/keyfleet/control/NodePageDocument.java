package keyfleet.control;

import java.time.Duration;
import java.util.List;
import keyfleet.rollout.Chapter;
import keyfleet.rollout.Component;
import keyfleet.rollout.Duty;
import keyfleet.rollout.Duty.Course;
import keyfleet.rollout.Ground;
import keyfleet.rollout.Moment;
import keyfleet.rollout.Node;
import keyfleet.rollout.Node.Applying;
import keyfleet.rollout.Node.Check;
import keyfleet.rollout.Node.Confirmed;
import keyfleet.rollout.Node.Idle;
import keyfleet.rollout.Node.Preparing;
import keyfleet.rollout.Node.Reverted;
import keyfleet.rollout.Node.RolledBack;
import keyfleet.rollout.Node.RollingBack;
import keyfleet.rollout.Node.Soaked;
import keyfleet.rollout.Node.Soaking;
import keyfleet.rollout.Node.Staged;
import keyfleet.rollout.Node.Tasked;
import keyfleet.rollout.Node.Undo;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.NodePage;
import keyfleet.rollout.Phase;
import keyfleet.rollout.Setback;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Sighting.State;
import keyfleet.rollout.Vitals;
import keyfleet.rollout.Vitals.Link;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// A page of a watchdog's journal. It holds what was left of the confirm deadline, never a reading
/// of the elapsed clock alone; a soak under way is not in it.
public final class NodePageDocument {
  private NodePageDocument() {}

  public static Value of(NodePage page) {
    Document.Builder builder =
        Document.builder()
            .text("boot", page.written().boot())
            .number("elapsed", page.written().elapsed())
            .text("wall", page.written().wall().toString())
            .document("ground", of(page.node().ground()));
    if (page.node() instanceof Tasked tasked) {
      builder.document("duty", of(tasked.duty()));
    }
    page.remaining().ifPresent(it -> builder.text("remaining", it.toString()));
    state(builder, page.node());
    return builder.build().toValue();
  }

  private static void state(Document.Builder builder, Node node) {
    switch (node) {
      case Idle _ -> builder.text("state", "idle");
      case Preparing _ -> builder.text("state", "preparing");
      case Staged _ -> builder.text("state", "staged");
      case Applying _ -> builder.text("state", "applying");
      case Soaking s -> vitals(builder.text("state", "soaking"), s.vitals());
      case Soaked s -> vitals(builder.text("state", "soaked"), s.vitals());
      case Confirmed _ -> builder.text("state", "confirmed");
      case Reverted _ -> builder.text("state", "reverted");
      case RolledBack r ->
          builder
              .text("state", "rolled_back")
              .text("setback", TaskDocument.word(r.setback()))
              .texts("reasons", r.reasons());
      case RollingBack r ->
          builder
              .text("state", "rolling_back")
              .text("undo", TaskDocument.word(r.undo()))
              .text("setback", TaskDocument.word(r.setback()))
              .texts("reasons", r.reasons());
    }
  }

  private static void vitals(Document.Builder builder, Vitals vitals) {
    builder.number("relapses", vitals.relapses()).number("restarts", vitals.restarts());
  }

  private static Document of(Ground ground) {
    return Document.builder()
        .text("node", ground.node().value())
        .text("component", ground.component().value())
        .text("confirmed", ground.confirmed().hex())
        .text("previous", ground.previous().hex())
        .documents("past", ground.past().stream().map(NodePageDocument::of).toList())
        .build();
  }

  private static Document of(Chapter chapter) {
    return Document.builder()
        .document("task", TaskDocument.of(chapter.task()))
        .text("before", chapter.before().hex())
        .document("lead", TaskDocument.of(chapter.lead()))
        .text("course", TaskDocument.word(chapter.course()))
        .text("phase", TaskDocument.word(chapter.phase()))
        .text("setback", TaskDocument.word(chapter.setback()))
        .build();
  }

  private static Document of(Duty duty) {
    return Document.builder()
        .document("task", TaskDocument.of(duty.task()))
        .text("before", duty.before().hex())
        .document("lead", TaskDocument.of(duty.lead()))
        .text("course", TaskDocument.word(duty.course()))
        .build();
  }

  public static NodePage read(Value value) {
    return Document.parse(value).as(NodePageDocument::page);
  }

  private static NodePage page(Document document) {
    Moment written =
        new Moment(
            document.text("boot"),
            document.number("elapsed"),
            TaskDocument.instant(document, "wall"));
    return new NodePage(node(document, written), written);
  }

  private static Node node(Document document, Moment written) {
    Ground ground = ground(document.document("ground"));
    if (document.text("state").equals("idle")) {
      return new Idle(ground);
    }
    Duty duty = duty(document.document("duty"), ground);
    return switch (document.text("state")) {
      case "preparing" -> new Preparing(duty);
      case "staged" -> new Staged(duty);
      case "applying" -> new Applying(duty, Check.OPEN, deadline(document, written));
      case "soaking" -> new Soaking(duty, vitals(document, written), deadline(document, written));
      case "soaked" -> new Soaked(duty, vitals(document, written), deadline(document, written));
      case "confirmed" -> new Confirmed(duty);
      case "reverted" -> new Reverted(duty);
      case "rolled_back" -> new RolledBack(duty, setback(document), document.texts("reasons"));
      case "rolling_back" ->
          new RollingBack(
              duty,
              TaskDocument.constant(Undo.class, document.text("undo")),
              setback(document),
              document.texts("reasons"));
      default -> throw new IllegalArgumentException("unknown: " + document.text("state"));
    };
  }

  private static long deadline(Document document, Moment written) {
    Duration remaining = TaskDocument.duration(document, "remaining");
    return written.elapsed() + remaining.toNanos();
  }

  private static Vitals vitals(Document document, Moment written) {
    return new Vitals(
        State.NOT_READY,
        Link.CUT_OFF,
        written.elapsed(),
        0,
        0,
        TaskDocument.count(document, "relapses"),
        TaskDocument.count(document, "restarts"));
  }

  private static Setback setback(Document document) {
    return TaskDocument.constant(Setback.class, document.text("setback"));
  }

  private static Ground ground(Document document) {
    List<Chapter> past =
        document.documents("past").stream().map(NodePageDocument::chapter).toList();
    return new Ground(
        new NodeId(document.text("node")),
        new Component(document.text("component")),
        new Sha256(document.text("confirmed")),
        new Sha256(document.text("previous")),
        past);
  }

  private static Chapter chapter(Document document) {
    return new Chapter(
        TaskDocument.task(document.document("task")),
        new Sha256(document.text("before")),
        TaskDocument.lead(document.document("lead")),
        TaskDocument.constant(Course.class, document.text("course")),
        TaskDocument.constant(Phase.class, document.text("phase")),
        setback(document));
  }

  private static Duty duty(Document document, Ground ground) {
    return new Duty(
        ground,
        TaskDocument.task(document.document("task")),
        new Sha256(document.text("before")),
        TaskDocument.lead(document.document("lead")),
        TaskDocument.constant(Course.class, document.text("course")));
  }
}
