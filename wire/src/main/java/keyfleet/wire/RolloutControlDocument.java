package keyfleet.wire;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import keyfleet.rollout.Goal;
import keyfleet.rollout.NodeId;
import keyfleet.rollout.controller.DriverView;
import keyfleet.rollout.controller.NodeEntry;
import keyfleet.rollout.controller.NodeProgress;
import keyfleet.rollout.controller.Rollout;
import keyfleet.rollout.controller.RolloutProgress;
import keyfleet.rollout.controller.RolloutRun;
import keyfleet.rollout.controller.RolloutSpec;
import keyfleet.rollout.controller.StopCause;
import keyfleet.rollout.controller.StopOrder;
import keyfleet.rollout.plan.ExcludedNode;
import keyfleet.store.Document;
import keyfleet.store.MalformedValueException;
import keyfleet.store.Value;

/// The document under a rollout's `ctl` key: its state. It has no times: a driver keeps in memory
/// what it waits for. Nodes are listed by progress; an attempt is stored where it is not the first.
public final class RolloutControlDocument {
  private RolloutControlDocument() {}

  /// `nonce` is unique to this write.
  public static Value toValue(Rollout rollout, String nonce) {
    RolloutRun run = rollout.run();
    Document.Builder builder =
        Document.builder()
            .text("nonce", nonce)
            .text("incarnation", run.spec().incarnation())
            .document("lead", DocumentFields.toDocument(run.claim()))
            .number("passed", run.progress().passedBatches())
            .number("kept", run.progress().keptBatches());
    writeState(builder, rollout);
    return builder
        .document("nodes", nodes(run))
        .document("attempts", attempts(run))
        .documents(
            "excluded",
            run.progress().excluded().stream().map(ExcludedNodeDocument::toDocument).toList())
        .build()
        .toValue();
  }

  /// Whether both have the same stored form, which does not include a driver's memory.
  public static boolean isSame(Rollout one, Rollout other) {
    return withoutMemory(one).equals(withoutMemory(other));
  }

  private static Rollout withoutMemory(Rollout rollout) {
    return rollout.with(rollout.run().withDriverView(DriverView.empty(Duration.ZERO)));
  }

  /// The name of the state, which scripts depend on.
  public static String stateName(Rollout rollout) {
    return switch (rollout) {
      case Rollout.Created _ -> "created";
      case Rollout.Rolling _ -> "rolling";
      case Rollout.Paused _ -> "paused";
      case Rollout.Aborting _ -> "aborting";
      case Rollout.Aborted _ -> "aborted";
      case Rollout.RolledBack _ -> "rolled_back";
      case Rollout.Completed _ -> "completed";
    };
  }

  private static void writeState(Document.Builder builder, Rollout rollout) {
    builder.text("state", stateName(rollout));
    switch (rollout) {
      case Rollout.Paused(_, var stopCause) ->
          builder.text("cause", DocumentFields.toText(stopCause));
      case Rollout.Aborted(_, var stopCause) ->
          builder.text("cause", DocumentFields.toText(stopCause));
      case Rollout.Aborting(_, var stopOrder) ->
          builder
              .text("cause", DocumentFields.toText(stopOrder.cause()))
              .text("goal", DocumentFields.toText(stopOrder.goal()))
              .number("fence", stopOrder.fence());
      case Rollout.Created _, Rollout.Rolling _, Rollout.RolledBack _, Rollout.Completed _ -> {}
    }
  }

  private static Document nodes(RolloutRun run) {
    Document.Builder builder = Document.builder();
    for (NodeProgress progress : NodeProgress.values()) {
      List<String> nodes =
          run.progress().entries().entrySet().stream()
              .filter(it -> it.getValue().progress() == progress)
              .map(it -> it.getKey().value())
              .toList();
      if (!nodes.isEmpty()) {
        builder.texts(DocumentFields.toText(progress), nodes);
      }
    }
    return builder.build();
  }

  private static Document attempts(RolloutRun run) {
    Document.Builder builder = Document.builder();
    for (Map.Entry<NodeId, NodeEntry> it : run.progress().entries().entrySet()) {
      if (it.getValue().attempt() != run.spec().firstAttempt()) {
        builder.number(it.getKey().value(), it.getValue().attempt());
      }
    }
    return builder.build();
  }

  public static Rollout parse(RolloutSpec spec, Value value) {
    return Document.parse(value).as(document -> parse(spec, document));
  }

  private static Rollout parse(RolloutSpec spec, Document document) {
    String incarnation = document.text("incarnation");
    if (!incarnation.equals(spec.incarnation())) {
      throw new MalformedValueException(
          "the control record of rollout %s has incarnation %s, but its spec has %s; one of them was restored or edited"
              .formatted(spec.id(), incarnation, spec.incarnation()));
    }
    RolloutRun run =
        RolloutRun.of(
            spec, DocumentFields.claim(document.document("lead")), progress(spec, document));
    return switch (document.text("state")) {
      case "created" -> new Rollout.Created(run);
      case "rolling" -> new Rollout.Rolling(run);
      case "paused" -> new Rollout.Paused(run, cause(document));
      case "aborting" -> new Rollout.Aborting(run, stopOrder(document));
      case "aborted" -> new Rollout.Aborted(run, cause(document));
      case "rolled_back" -> new Rollout.RolledBack(run);
      case "completed" -> new Rollout.Completed(run);
      default -> throw new MalformedValueException("unknown state: " + document.text("state"));
    };
  }

  private static StopCause cause(Document document) {
    return DocumentFields.parseConstant(StopCause.class, document.text("cause"));
  }

  private static StopOrder stopOrder(Document document) {
    Goal goal = DocumentFields.parseConstant(Goal.class, document.text("goal"));
    return new StopOrder(goal, document.number("fence"), cause(document));
  }

  private static RolloutProgress progress(RolloutSpec spec, Document document) {
    Document nodes = document.document("nodes");
    Document attempts = document.document("attempts");
    SortedMap<NodeId, NodeEntry> entries = new TreeMap<>();
    for (String name : nodes.fieldNames()) {
      NodeProgress progress = DocumentFields.parseConstant(NodeProgress.class, name);
      for (String node : nodes.texts(name)) {
        int attempt =
            attempts.has(node) ? DocumentFields.count(attempts, node) : spec.firstAttempt();
        entries.put(new NodeId(node), new NodeEntry(progress, attempt));
      }
    }
    return new RolloutProgress(
        DocumentFields.count(document, "passed"),
        DocumentFields.count(document, "kept"),
        entries,
        excluded(document));
  }

  private static List<ExcludedNode> excluded(Document document) {
    return document.has("excluded")
        ? document.documents("excluded").stream().map(ExcludedNodeDocument::parse).toList()
        : List.of();
  }
}
