package keyfleet.control;

import java.util.List;
import keyfleet.rollout.Component;
import keyfleet.rollout.Exclusion;
import keyfleet.rollout.Limits;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.Plan;
import keyfleet.rollout.RolloutId;
import keyfleet.rollout.RolloutSpec;
import keyfleet.rollout.Sha256;
import keyfleet.rollout.Target;
import keyfleet.rollout.TargetParser;
import keyfleet.rollout.Times;
import keyfleet.store.Document;
import keyfleet.store.Value;

/// What a rollout is, as it stands under its `spec` key. The plan's hash is stored with it and must
/// be found again (I11): a plan that reads as another one drives nobody.
final class SpecDocument {
  private SpecDocument() {}

  static Value of(RolloutSpec spec) {
    return Document.builder()
        .text("rollout", spec.id().value())
        .text("incarnation", spec.incarnation())
        .number("attempt", spec.attempt())
        .text("component", spec.component().value())
        .document("plan", of(spec.plan()))
        .document("limits", of(spec.limits()))
        .document("times", of(spec.times()))
        .build()
        .toValue();
  }

  static RolloutSpec read(Value value) {
    return Document.parse(value)
        .as(document ->
            new RolloutSpec(
                new RolloutId(document.text("rollout")),
                document.text("incarnation"),
                TaskDocument.count(document, "attempt"),
                new Component(document.text("component")),
                plan(document.document("plan")),
                limits(document.document("limits")),
                times(document.document("times"))));
  }

  private static Document of(Plan plan) {
    return Document.builder()
        .text("hash", plan.hash().hex())
        .text("release", plan.release().hex())
        .text("target", plan.target().toString())
        .texts("canaries", words(plan.canaries()))
        .documents(
            "batches",
            plan.batches().stream()
                .map(it -> Document.builder().texts("nodes", words(it)).build())
                .toList())
        .texts("offline", words(plan.offline()))
        .documents("excluded", plan.excluded().stream().map(SpecDocument::of).toList())
        .build();
  }

  private static Plan plan(Document document) {
    Plan plan =
        new Plan(
            new Sha256(document.text("release")),
            target(document.text("target")),
            nodes(document, "canaries"),
            document.documents("batches").stream().map(it -> nodes(it, "nodes")).toList(),
            nodes(document, "offline"),
            document.documents("excluded").stream().map(SpecDocument::exclusion).toList());
    if (!plan.hash().hex().equals(document.text("hash"))) {
      throw new IllegalArgumentException("the plan is not the one that was made");
    }
    return plan;
  }

  private static Target target(String text) {
    return switch (TargetParser.parse(text)) {
      case TargetParser.Parsed(var target) -> target;
      case TargetParser.BadTarget bad -> throw new IllegalArgumentException(bad.toString());
    };
  }

  private static Document of(Exclusion exclusion) {
    Document.Builder builder = Document.builder().text("node", exclusion.node().value());
    return switch (exclusion.reason()) {
      case Exclusion.Degraded _ -> builder.text("reason", "degraded").build();
      case Exclusion.FactUnknown _ -> builder.text("reason", "fact_unknown").build();
      case Exclusion.HeldBack(var why) ->
          builder.text("reason", "held_back").text("why", why).build();
    };
  }

  private static Exclusion exclusion(Document document) {
    Exclusion.Reason reason =
        switch (document.text("reason")) {
          case "degraded" -> new Exclusion.Degraded();
          case "fact_unknown" -> new Exclusion.FactUnknown();
          case "held_back" -> new Exclusion.HeldBack(document.text("why"));
          default -> throw new IllegalArgumentException("unknown: " + document.text("reason"));
        };
    return new Exclusion(new NodeId(document.text("node")), reason);
  }

  private static Document of(Limits limits) {
    return Document.builder()
        .number("batch_size", limits.batchSize())
        .number("max_failed", limits.maxFailed())
        .number("max_unavailable", limits.maxUnavailable())
        .number("lane", limits.lane())
        .build();
  }

  private static Limits limits(Document document) {
    return new Limits(
        TaskDocument.count(document, "batch_size"),
        TaskDocument.count(document, "max_failed"),
        TaskDocument.count(document, "max_unavailable"),
        TaskDocument.count(document, "lane"));
  }

  private static Document of(Times times) {
    return Document.builder()
        .text("soak", times.soak().toString())
        .text("confirm_within", times.confirmWithin().toString())
        .text("batch_pause", times.batchPause().toString())
        .text("lane_wait", times.laneWait().toString())
        .text("prepare_within", times.prepareWithin().toString())
        .text("answer_within", times.answerWithin().toString())
        .text("health_wait", times.healthWait().toString())
        .text("stale", times.stale().toString())
        .text("scan", times.scan().toString())
        .build();
  }

  private static Times times(Document document) {
    return new Times(
        TaskDocument.duration(document, "soak"),
        TaskDocument.duration(document, "confirm_within"),
        TaskDocument.duration(document, "batch_pause"),
        TaskDocument.duration(document, "lane_wait"),
        TaskDocument.duration(document, "prepare_within"),
        TaskDocument.duration(document, "answer_within"),
        TaskDocument.duration(document, "health_wait"),
        TaskDocument.duration(document, "stale"),
        TaskDocument.duration(document, "scan"));
  }

  private static List<String> words(List<NodeId> nodes) {
    return nodes.stream().map(NodeId::value).toList();
  }

  private static List<NodeId> nodes(Document document, String name) {
    return document.texts(name).stream().map(NodeId::new).toList();
  }
}
